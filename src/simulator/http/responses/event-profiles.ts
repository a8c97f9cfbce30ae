import type { EventType } from '../../../service/catalogue/catalogue.ts'
import { catalogueEnUs } from '../../../service/catalogue/en-us.ts'
import { germanEvents, germanGroups } from './event-profiles-german.ts'

/** The translations of one locale; what it lacks stays in English. */
interface Translation {
  readonly groups: Readonly<Record<string, string>>
  readonly events: ReadonlyMap<number, string>
}

const groupNames: Readonly<Record<string, string>> = {
  EP_ALERT: 'Alert',
  EP_ALARM: 'Alarm',
  EP_RESTORE: 'Restore',
  EP_OPEN_CLOSE: 'Open/close',
  EP_ONLINE: 'Online',
  EP_OFFLINE: 'Offline',
  EP_NOTICE: 'Notice',
  EP_DURESS: 'Duress',
}

const locales: ReadonlyMap<string, Translation> = new Map([
  ['en_US', { groups: groupNames, events: new Map() }],
  ['de_DE', { groups: germanGroups, events: germanEvents }],
])

/** GET had/rules/event-profiles (interface specification 4.11); undefined for an unsupported locale. */
export function eventProfiles(locale: string) {
  const translation = locales.get(locale)
  if (!translation) return undefined
  return [...new Set(catalogueEnUs.map((type) => type.group))].map((group) => ({
    profile: {
      id: group,
      description: translation.groups[group] ?? groupNames[group] ?? group,
      description_original: groupNames[group] ?? group,
    },
    events: catalogueEnUs.filter((type) => type.group === group).map((type) => createRow(type, translation)),
  }))
}

/** Returns the text of a type in a locale; in English if the locale or the text is missing. */
export function describeType(typeId: number, locale: string): string | undefined {
  return locales.get(locale)?.events.get(typeId) ?? englishTexts.get(typeId)
}

const englishTexts = new Map(catalogueEnUs.map(({ typeId, description }) => [typeId, description]))

/** Returns a catalogue row in the service's format (interface specification 6.3). */
function createRow(type: EventType, translation: Translation) {
  return {
    description: translation.events.get(type.typeId) ?? type.descriptionOriginal,
    description_original: type.descriptionOriginal,
    description_placeholder_arguments: [],
    code_vis: type.vis,
    code_cid: type.contactId,
    code_sia: type.sia,
    type_id: type.typeId,
    label: `EL_${type.label}`,
    label_description: `EL_${type.label}`,
  }
}
