const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/**
 * Returns true for `<language>_<REGION>` (interface specification 4.11) with known parts, such as `en_US`.
 */
export function isLocale(text: string): boolean {
  const [, language, region] = /^([a-z]{2,3})_([A-Z]{2}|\d{3})$/.exec(text) ?? []
  return (
    language !== undefined && region !== undefined && Boolean(languages.of(language) && regions.of(region))
  )
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
