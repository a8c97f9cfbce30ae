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
/** One row of the event-type catalogue (interface specification 6.3). */
export interface EventType {
  /** Catalogue type id: the key that events use. */
  typeId: number
  /** Profile group such as `EP_ALARM`; only this, not the label, distinguishes alarm, alert and restore. */
  group: string
  /** Visonic code as text; several type ids may have the same code. */
  vis: string
  /** Contact ID, 3 or 4 digits as text; `000` or `0000` if there is none. */
  contactId: string
  /** SIA code, 3 characters; `000` if there is none. */
  sia: string
  /** Family of the event without the `EL_` prefix, for example `BURGLER`. */
  label: string
  /** Text in the language of the catalogue. */
  description: string
  /** Text in the service's own language. */
  descriptionOriginal: string
}

/** Event types by type id. */
export type Catalogue = ReadonlyMap<number, EventType>

/**
 * Removes the prefix `EL_` from a family of events: the catalogue has `EL_BURGLER`, an event only `BURGLER`
 * (interface specification 2.12 and 6.3).
 */
export function stripLabelPrefix(label: string): string {
  return label.replace(/^EL_/i, '')
}

/** Converts a profile group to lower case without the prefix `EP_`: `alarm` for `EP_ALARM`. */
export function groupName(group: string): string {
  return group.replace(/^EP_/i, '').toLowerCase()
}

/** Returns a Contact ID or SIA code; null if it is absent or has zeros only, which mean none (6.3). */
export function codeOrNull(code = ''): string | null {
  return /^0*$/.test(code) ? null : code
}

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
