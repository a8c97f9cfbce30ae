import { platforms } from '../entities/component.ts'
import { forms, type Setup } from '../setup.ts'
import { isDeviceObject, isStateTopic, isTopic, panelObject, uniqueId } from '../topics.ts'
import type { Manifest, ManifestEntity } from './manifest.ts'

/** The characters of the longest manifest that is believed: ten times that of a panel with all the devices it can have. */
const maxLength = 1_000_000

/**
 * Parses a manifest from the broker; undefined for anything else. What it lists is removed once it is gone, and whoever can
 * write below the topics of the panel can write one: so it may list nothing but announcements and states of this panel. The
 * prefix may be another one, which the user has changed since.
 */
export function parseManifest(payload: string, setup: Setup): Manifest | undefined {
  if (payload.length > maxLength) return undefined
  try {
    const { keeper, prefix, form, objects, states } = JSON.parse(payload)
    const isKnown = typeof prefix === 'string' && isTopic(prefix) && forms.includes(form)
    const areStates =
      Array.isArray(states) && states.every((one) => typeof one === 'string' && isStateTopic(setup, one))
    return isKnown && areStates && isObjects(objects, setup)
      ? { keeper: typeof keeper === 'string' ? keeper : '', prefix, form, objects, states }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the node that has announced what a manifest lists; an empty text if it does not say so. Each node hears the
 * manifests of all panels, so none is parsed for it.
 */
export function keeperIn(payload: string): string {
  const [, text] = /^\{"keeper":("(?:[^"\\]|\\.){1,200}")/.exec(payload) ?? []
  try {
    return text === undefined ? '' : JSON.parse(text)
  } catch {
    return ''
  }
}

function isObjects(value: unknown, setup: Setup): value is Manifest['objects'] {
  return (
    isTable(value) &&
    Object.entries(value).every(
      ([object, entities]) =>
        (object === panelObject || isDeviceObject(object)) &&
        isTable(entities) &&
        Object.entries(entities).every(([key, one]) => isName(key) && isEntity(one, setup)),
    )
  )
}

function isEntity(value: unknown, setup: Setup): value is ManifestEntity {
  if (!isTable(value)) return false
  const { platform, id } = value
  const isPlatform = platforms.some((one) => one === platform)
  return isPlatform && typeof id === 'string' && isName(id) && id.startsWith(uniqueId(setup, ['']))
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tells if a text has only those characters that Home Assistant accepts in a part of a topic. */
function isName(text: string): boolean {
  return /^[\w-]+$/.test(text)
}
