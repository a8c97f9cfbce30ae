import { textOrNull } from '../optional-fields.ts'
import { list, withDefault } from '../schema.ts'

/** The arguments of a text (interface specification 6.3), empty if missing; one that is no text is null. */
export const placeholderArguments = withDefault(list(textOrNull), [])

/** `%s` and `{}` take the next argument, `%2$s` counts from 1, `{0}` from 0. */
const placeholder = /%(?:(\d{1,2})\$)?[sdi]|\{(\d{0,2})\}/g

/**
 * Fills the arguments into the placeholders of a text.
 *
 * No answer is known that has any (interface specification 6.3: empty in all shown entries), so the usual two
 * forms are understood. A placeholder without an argument stays as it is.
 */
export function fillPlaceholders(text: string, values: readonly (string | null)[]): string {
  if (values.length === 0) return text
  let next = 0
  return text.replace(placeholder, (whole, percent?: string, brace?: string) => {
    if (percent) return String(values[Number(percent) - 1] ?? whole)
    if (brace) return String(values[Number(brace)] ?? whole)
    next += 1
    return String(values[next - 1] ?? whole)
  })
}
