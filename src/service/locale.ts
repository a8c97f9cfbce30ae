/**
 * Returns true for `<language>_<REGION>` (interface specification 4.11) with known parts, such as `en_US`.
 */
export function isLocale(text: string): boolean {
  const [, language, region] = /^([a-z]{2,3})_([A-Z]{2}|\d{3})$/.exec(text) ?? []
  return (
    language !== undefined &&
    region !== undefined &&
    isNamed('language', language) &&
    isNamed('region', region)
  )
}

/** Returns true if the English names of a type have this code. */
function isNamed(type: 'language' | 'region', code: string): boolean {
  // Created when it is asked: most processes never ask, and the first ones take two milliseconds of their start.
  return new Intl.DisplayNames('en', { type, fallback: 'none' }).of(code) !== undefined
}

/**
 * Returns the most likely locale for a language of a browser or the editor: `de_DE` for `de`, `en_US` for
 * `en-US`.
 * Undefined if the text is not a language.
 */
export function localeOf(language: string): string | undefined {
  try {
    const { language: spoken, region } = new Intl.Locale(language).maximize()
    const locale = `${spoken}_${region}`
    return isLocale(locale) ? locale : undefined
  } catch {
    return undefined
  }
}
