import type { Setup } from './setup.ts'

/** The part of the setup that decides the topics. */
type TopicSetup = Pick<Setup, 'prefix' | 'base' | 'serial' | 'form'>

/** The name of the panel among the things that have a state topic; a device has `d` and its id. */
export const panelObject = 'panel'

/** Returns the name of a device in topics and unique ids. */
export function deviceObject(id: number): string {
  return `d${id}`
}

/** Tells if a name in topics is that of a device. */
export function isDeviceObject(object: string): boolean {
  return /^d\d+$/.test(object)
}

/** Tells if a text is the name of a topic: no wildcard, no blank, no slash at its beginning. */
export function isTopic(text: string): boolean {
  return /^[^/+#\s][^+#\s]*$/.test(text)
}

/** Returns a text with only those characters that Home Assistant accepts in a part of a topic. */
export function topicPart(text: string): string {
  return text.replace(/[^\w-]/g, '_')
}

/**
 * Returns the identifier of a device in Home Assistant: `keyholder_<serial>` for the panel. It is part of the public
 * contract, like the unique ids.
 */
export function identifierOf({ serial }: Pick<Setup, 'serial'>, object: string): string {
  return uniqueId({ serial }, object === panelObject ? [] : [object])
}

/** Returns a unique id: `keyholder_<serial>_…`. */
export function uniqueId({ serial }: Pick<Setup, 'serial'>, parts: readonly string[]): string {
  return ['keyholder', topicPart(serial), ...parts].join('_')
}

/** Returns the topic with the announcement of a device. */
export function deviceConfigTopic(setup: Pick<Setup, 'prefix' | 'serial'>, object: string): string {
  return `${setup.prefix}/device/${identifierOf(setup, object)}/config`
}

/** Returns the topic with the announcement of one entity. */
export function entityConfigTopic({ prefix }: Pick<Setup, 'prefix'>, platform: string, id: string): string {
  return `${prefix}/${platform}/${id}/config`
}

/** Returns a topic below the panel: `<base>/<serial>/<path>`. */
export function panelTopic({ base, serial }: Pick<Setup, 'base' | 'serial'>, path: string): string {
  return `${base}/${topicPart(serial)}/${path}`
}

/** Returns the topic with the state of the panel, a partition or a device. */
export function stateTopic(setup: Pick<Setup, 'base' | 'serial'>, object: string): string {
  return panelTopic(setup, `${object}/state`)
}

/** Tells if a topic is one of those with the states of this panel, which the broker keeps. */
export function isStateTopic(setup: Pick<Setup, 'base' | 'serial'>, topic: string): boolean {
  const below = panelTopic(setup, '')
  return (
    topic.startsWith(below) && /^([\w-]+\/state|(devices\/)?availability)$/.test(topic.slice(below.length))
  )
}

/** Returns the topic for commands to the panel, a partition or a device. */
export function setTopic(setup: TopicSetup, object: string): string {
  return panelTopic(setup, `${object}/set`)
}

/** Returns the topic that tells if the panel can be reached. */
export function availabilityTopic(setup: Pick<Setup, 'base' | 'serial'>): string {
  return panelTopic(setup, 'availability')
}

/** Returns the topic that tells if the devices of the panel are read. */
export function devicesAvailabilityTopic(setup: Pick<Setup, 'base' | 'serial'>): string {
  return panelTopic(setup, 'devices/availability')
}

/** Returns the topic with the list of all that was announced. */
export function manifestTopic(setup: Pick<Setup, 'base' | 'serial'>): string {
  return panelTopic(setup, 'announced')
}

/** Returns the topic on which the broker tells if Node-RED is connected: birth, close and will of its core node. */
export function bridgeTopic({ base }: Pick<Setup, 'base'>): string {
  return `${base}/bridge`
}

/** Returns the topic on which Home Assistant tells that it has started. */
export function birthTopic({ prefix }: Pick<Setup, 'prefix'>): string {
  return `${prefix}/status`
}
