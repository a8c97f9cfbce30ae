import type { EventType } from './catalogue.ts'
import { type Check, integer, list, or, record, text } from './check.ts'
import { bareLabel } from './event-words.ts'

const profile = record({
  profile: record({ id: text }),
  events: or(
    list(
      record({
        type_id: integer,
        code_vis: or(text, ''),
        code_cid: or(text, ''),
        code_sia: or(text, ''),
        label: or(text, ''),
        description: or(text, ''),
        description_original: or(text, ''),
      }),
    ),
    [],
  ),
})

const profiles = list(profile)

/** The answer to GET /had/rules/event-profiles/{locale} (interface specification 4.11), groups laid end to end. */
export const eventProfiles: Check<EventType[]> = (value, tally) => {
  const groups = profiles(value, tally)
  if (typeof groups === 'symbol') return groups
  return groups.flatMap(({ profile, events }) =>
    events.map((event) => ({
      typeId: event.type_id,
      group: profile.id,
      vis: event.code_vis,
      contactId: event.code_cid,
      sia: event.code_sia,
      label: bareLabel(event.label),
      description: event.description,
      descriptionOriginal: event.description_original,
    })),
  )
}
