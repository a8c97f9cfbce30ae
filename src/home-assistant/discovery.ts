import { type AnnouncedDevice, availableBy, type Component } from './entities/component.ts'
import type { Setup } from './setup.ts'
import {
  availabilityTopic,
  bridgeTopic,
  deviceConfigTopic,
  devicesAvailabilityTopic,
  entityConfigTopic,
  isDeviceObject,
} from './topics.ts'

/** A message to the broker; `payload` is text, and the empty one removes what the topic had. */
export interface Publication {
  topic: string
  payload: string
}

/** The page that Home Assistant links to. */
const supportUrl = 'https://github.com/keyholder/node-red-alarm-panel'

function originOf({ version }: Setup): object {
  return { name: 'keyholder', sw_version: version, support_url: supportUrl }
}

/**
 * Returns the availability of the entities of a device: Node-RED is connected to the broker, the panel to the service,
 * and a detector is read.
 */
function availability(setup: Setup, object: string): Record<string, unknown> {
  const topics = [
    bridgeTopic(setup),
    availabilityTopic(setup),
    ...(isDeviceObject(object) ? [devicesAvailabilityTopic(setup)] : []),
  ]
  return { ...availableBy(topics), availability_mode: 'all' }
}

/** Returns what an announcement tells of its device, with all that Home Assistant would add. */
function deviceOf({ device }: AnnouncedDevice): object {
  return { ...device, connections: [] }
}

/** Returns the announcements of a device: one of the device with all its entities, or one of each entity. */
export function announcements(setup: Setup, announced: AnnouncedDevice): Publication[] {
  if (setup.form === 'single')
    return announced.components.map((one) => entityAnnouncement(setup, announced, one))
  return [deviceAnnouncement(setup, announced)]
}

/**
 * Returns the announcement of a device with all its entities.
 * @param removed platforms of the entities, by key, that Home Assistant must forget: their announcement has no more than
 * the platform, once
 */
export function deviceAnnouncement(
  setup: Setup,
  announced: AnnouncedDevice,
  removed: Readonly<Record<string, string>> = {},
): Publication {
  const { object, components } = announced
  const gone = Object.entries(removed).map(([key, platform]) => [key, { platform }])
  const there = components.map(({ key, platform, config }) => [key, { platform, ...config }])
  const payload = {
    device: deviceOf(announced),
    origin: originOf(setup),
    ...availability(setup, object),
    components: Object.fromEntries([...there, ...gone]),
  }
  return { topic: deviceConfigTopic(setup, object), payload: JSON.stringify(payload) }
}

function entityAnnouncement(
  setup: Setup,
  announced: AnnouncedDevice,
  { platform, id, config }: Component,
): Publication {
  // A device trigger is always available.
  const shared = platform === 'device_automation' ? {} : availability(setup, announced.object)
  const payload = { ...shared, ...config, device: deviceOf(announced), origin: originOf(setup) }
  return { topic: entityConfigTopic(setup, platform, id), payload: JSON.stringify(payload) }
}
