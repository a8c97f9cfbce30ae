import { textOrEmpty } from '../optional-fields.ts'
import { type Check, integer, invalid, list, record, text, withDefault } from '../schema.ts'
import { type EventType, stripLabelPrefix } from './catalogue.ts'
import { fillPlaceholders, placeholderArguments } from './placeholders.ts'

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
