import { deviceAnnouncement, type Publication } from '../discovery.ts'
import type { AnnouncedDevice } from '../entities/component.ts'
import type { Setup } from '../setup.ts'
import { deviceConfigTopic, entityConfigTopic } from '../topics.ts'
import type { Manifest, ManifestEntity } from './manifest.ts'

/** Publications before and after the new announcements, so that nothing of the old ones stays. */
export interface Replacement {
  /** Before the new announcements. */
  before: Publication[]
  /** After them. */
  after: Publication[]
  /** True if Home Assistant needs a moment after `before`, because entities move. */
  moves: boolean
}

/**
 * Returns what leads from the old announcements to the new ones.
 *
 * Within a form, what is gone is removed. Between the forms, Home Assistant is told before that the entities move, so
 * that it keeps them with their history, and the old announcements are removed afterwards.
 */
export function replacement(
  old: Manifest,
  now: Manifest,
  setup: Setup,
  devices: readonly AnnouncedDevice[],
): Replacement {
  const newTopics = new Set(configsOf(now, setup).map(({ topic }) => topic))
  const left = configsOf(old, setup).filter(({ topic }) => !newTopics.has(topic))
  const leftStates = old.states.filter((topic) => !now.states.includes(topic))
  const isOtherForm = old.form !== now.form && old.prefix === now.prefix
  const before = isOtherForm ? migrations(left, now, setup, devices) : thinner(old, setup, devices)
  return {
    before,
    moves: isOtherForm && before.length > 0,
    after: [...left.map(({ topic }) => topic), ...leftStates].map((topic) => ({ topic, payload: '' })),
  }
}

/**
 * Returns what tells Home Assistant that entities move. It is told only of those that the new announcements have: it keeps
 * an entity that moves, and could not remove it any more. A device first loses its other entities.
 */
function migrations(
  left: readonly Config[],
  now: Manifest,
  setup: Setup,
  devices: readonly AnnouncedDevice[],
): Publication[] {
  const idOf = ({ platform, id }: ManifestEntity) => `${platform} ${id}`
  const ids = new Set(Object.values(now.objects).flatMap((entities) => Object.values(entities).map(idOf)))
  return left.flatMap(({ topic, object, entities }) => {
    const gone = Object.entries(entities).filter(([, one]) => !ids.has(idOf(one)))
    if (gone.length === Object.keys(entities).length) return []
    const announced = devices.find((one) => one.object === object)
    const thinned =
      gone.length === 0 || announced === undefined
        ? []
        : [deviceAnnouncement(setup, announced, platformsOf(gone))]
    return [...thinned, { topic, payload: '{"migrate_discovery":true}' }]
  })
}

/** Returns the announcements of devices that lose entities, in the form of one announcement for each device. */
function thinner(old: Manifest, setup: Setup, devices: readonly AnnouncedDevice[]): Publication[] {
  if (old.form !== 'device' || setup.form !== 'device' || old.prefix !== setup.prefix) return []
  return devices.flatMap((announced) => {
    const keys = new Set(announced.components.map(({ key }) => key))
    const gone = Object.entries(old.objects[announced.object] ?? {}).filter(([key]) => !keys.has(key))
    return gone.length === 0 ? [] : [deviceAnnouncement(setup, announced, platformsOf(gone))]
  })
}

function platformsOf(entities: readonly [string, ManifestEntity][]): Record<string, string> {
  return Object.fromEntries(entities.map(([key, { platform }]) => [key, platform]))
}

/** The topic of an announcement, and what it announces. */
interface Config {
  topic: string
  object: string
  entities: Readonly<Record<string, ManifestEntity>>
}

/** Returns the topics of all announcements in a manifest. */
function configsOf({ prefix, form, objects }: Manifest, setup: Setup): Config[] {
  const place = { ...setup, prefix }
  return Object.entries(objects).flatMap(([object, entities]) => {
    if (form === 'device') return [{ topic: deviceConfigTopic(place, object), object, entities }]
    return Object.entries(entities).map(([key, one]) => {
      const topic = entityConfigTopic(place, one.platform, one.id)
      return { topic, object, entities: { [key]: one } }
    })
  })
}
