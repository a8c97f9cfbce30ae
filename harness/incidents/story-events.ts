import type { StoryEvent } from '../../src/panel/incidents/story-event.ts'

let last = 0

/** Returns an event of a story: what is not given is that of the zone 1 in the partition 1. */
export function storyEventOf(typeId: number, time: number, fields: Partial<StoryEvent> = {}): StoryEvent {
  last += 1
  const order = fields.order ?? last
  return {
    key: `key-${order}`,
    typeId,
    time,
    readAt: null,
    isPast: false,
    order,
    what: `event ${typeId}`,
    zone: 1,
    zoneName: `Zone ${fields.zone ?? 1}`,
    deviceType: 'ZONE',
    actor: '',
    partitions: [1],
    sign: null,
    ...fields,
  }
}
