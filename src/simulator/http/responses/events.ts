import { catalogueEnUs } from '../../../service/catalogue/en-us.ts'
import type { LoggedEvent } from '../../world/event-log.ts'
import type { Panel } from '../../world/panel.ts'
import type { Service } from '../operation.ts'
import { describeType } from './event-profiles.ts'

const groups: ReadonlyMap<number, string> = new Map(catalogueEnUs.map(({ typeId, group }) => [typeId, group]))

/** Number of central stations that the events of a group are forwarded to; 0 for other groups. */
const stationCounts: Readonly<Record<string, number>> = {
  EP_ALARM: 2,
  EP_DURESS: 2,
  EP_ALERT: 1,
  EP_RESTORE: 1,
  EP_OPEN_CLOSE: 1,
}

/**
 * GET events, shape A (interface specification 2.12); before version 10 `zone_name` was `name` (field fact).
 */
export function eventList(panel: Panel, version: number, { eventOrder, locale }: Service) {
  const events = applyOrder(panel.events, eventOrder).map((event) => inLanguage(event, locale))
  return version >= 10 ? events : events.map(({ zone_name, ...event }) => ({ ...event, name: zone_name }))
}

/** GET events, shape B (interface specification 2.12 and 6.2): with the forwarding result of each event. */
export function installerEventList(panel: Panel, { eventOrder, installerEventIds, locale }: Service) {
  return applyOrder(panel.events, eventOrder).map(({ zone_name, ...event }) => ({
    ...inLanguage(event, locale),
    event: installerEventIds === 'zero' ? 0 : event.event,
    name: zone_name,
    delivery: {
      queue: 0,
      success: stationCounts[groups.get(event.type_id) ?? ''] ?? 0,
      failed: 0,
      retry: 0,
      processing: 0,
    },
  }))
}

/** Returns the event with its text in the language of the service, unless the panel gave it a text of its own. */
export function inLanguage<E extends Pick<LoggedEvent, 'type_id' | 'description'>>(
  event: E,
  locale: string,
): E {
  const usual = describeType(event.type_id, 'en_US')
  return event.description === usual
    ? { ...event, description: describeType(event.type_id, locale) ?? usual }
    : event
}

function applyOrder(events: readonly LoggedEvent[], order: Service['eventOrder']): readonly LoggedEvent[] {
  return order === 'oldest-first' ? events : [...events].reverse()
}
