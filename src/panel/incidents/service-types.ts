import type { Catalogue, EventType } from '../../service/catalogue/catalogue.ts'
import { bundled } from '../catalogue/event-catalogue.ts'
import type { IncidentBook } from './incident-book.ts'

/** A type that only the service's own catalogue has, as far as it decides what an event starts or ends. */
export type ServiceType = Pick<EventType, 'typeId' | 'group' | 'contactId'>

/**
 * Returns the types of the events of a book that only the service has, for a process that cannot read the catalogue of the
 * service: else it would tell what such a type has ended as open again.
 */
export function serviceTypesOf({ incidents, loose }: IncidentBook, catalogue: Catalogue): ServiceType[] {
  const events = [...loose, ...incidents.flatMap((incident) => [...incident.before, ...incident.events])]
  const typeIds = new Set(events.map(({ typeId }) => typeId ?? Number.NaN))
  return [...typeIds].flatMap((typeId) => {
    const type = bundled.has(typeId) ? undefined : catalogue.get(typeId)
    return type === undefined ? [] : [{ typeId, group: type.group, contactId: type.contactId }]
  })
}

/** The latest result for each catalogue, because the roles of events are remembered by catalogue. */
const latest = new WeakMap<Catalogue, { types: readonly ServiceType[]; merged: Catalogue }>()

/** Returns a catalogue with the types that it lacks; the same one if it lacks none. */
export function withServiceTypes(catalogue: Catalogue, types: readonly ServiceType[]): Catalogue {
  const missing = types.filter(({ typeId }) => !catalogue.has(typeId))
  if (missing.length === 0) return catalogue
  const known = latest.get(catalogue)
  if (known?.types === types) return known.merged
  const merged = new Map(catalogue)
  for (const type of missing) merged.set(type.typeId, { ...noTexts, ...type })
  latest.set(catalogue, { types, merged })
  return merged
}

const noTexts = { vis: '', sia: '', label: '', description: '', descriptionOriginal: '' }
