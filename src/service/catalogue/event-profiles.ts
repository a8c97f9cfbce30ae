import {
  type Check,
  integer,
  invalid,
  list,
  record,
  text,
  textOrEmpty,
  textOrNull,
  withDefault,
} from '../schema.ts'
import { type EventType, stripLabelPrefix } from './catalogue.ts'

/** The arguments of a text (interface specification 6.3), empty if missing; one that is no text is null. */
const placeholderArguments = withDefault(list(textOrNull), [])

const profile = record({
  profile: record({ id: text }),
  events: withDefault(
    list(
      record({
        type_id: integer,
        code_vis: textOrEmpty,
        code_cid: textOrEmpty,
        code_sia: textOrEmpty,
        label: textOrEmpty,
        description: textOrEmpty,
        description_original: textOrEmpty,
        description_placeholder_arguments: placeholderArguments,
      }),
    ),
    [],
  ),
})

const profiles = list(profile)

/** The answer to GET /had/rules/event-profiles/{locale} (interface specification 4.11), all groups joined. */
export const eventProfiles: Check<EventType[]> = (value, tally) => {
  const groups = profiles(value, tally)
  if (groups === invalid) return invalid
  return groups.flatMap(({ profile, events }) =>
    events.map((event) => {
      const filled = (text: string) => fillPlaceholders(text, event.description_placeholder_arguments)
      return {
        typeId: event.type_id,
        group: profile.id,
        vis: event.code_vis,
        contactId: event.code_cid,
        sia: event.code_sia,
        label: stripLabelPrefix(event.label),
        description: filled(event.description),
        descriptionOriginal: filled(event.description_original),
      }
    }),
  )
}

/** `%s` and `{}` take the next argument, `%2$s` counts from 1, `{0}` from 0. */
const placeholder = /%(?:(\d{1,2})\$)?[sdi]|\{(\d{0,2})\}/g

/**
 * Fills the arguments into the placeholders of a text.
 *
 * No answer is known that has any (interface specification 6.3: empty in all shown entries), so the usual two
 * forms are understood. A placeholder without an argument stays as it is.
 */
function fillPlaceholders(text: string, values: readonly (string | null)[]): string {
  if (values.length === 0) return text
  let next = 0
  return text.replace(placeholder, (whole, percent?: string, brace?: string) => {
    if (percent) return String(values[Number(percent) - 1] ?? whole)
    if (brace) return String(values[Number(brace)] ?? whole)
    next += 1
    return String(values[next - 1] ?? whole)
  })
}
