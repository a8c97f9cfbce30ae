const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Whether the text is `<language>_<REGION>` (interface specification 4.11) with both parts known, as `en_US`. */
export function isLocale(text: string): boolean {
  const [, language, region] = /^([a-z]{2,3})_([A-Z]{2}|\d{3})$/.exec(text) ?? []
  return (
    language !== undefined && region !== undefined && Boolean(languages.of(language) && regions.of(region))
  )
}
