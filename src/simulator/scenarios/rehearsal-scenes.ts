import type { Device } from '../world/device.ts'
import type { Panel, PanelPlan } from '../world/panel.ts'
import { userSource } from '../world/users.ts'
import type { WorldTime } from '../world/world-time.ts'
import { opened } from './scenes.ts'

/** The scenes that a rehearsal can play. */
export const rehearsalScenes = [
  'burglary-entry',
  'burglary-window',
  'fire',
  'water',
  'panic',
  'duress',
  'nobody-leaves',
  'tamper',
  'low-battery',
  'power-cut',
  'offline',
] as const

/** One of the scenes of a rehearsal. */
export type RehearsalScene = (typeof rehearsalScenes)[number]

/**
 * Acts on a panel and yields the seconds to wait; in the end, also if it is ended early, all is disarmed and closed. `pause`
 * shortens the seconds that are none of the panel's own delays, and `deed` tells that what the scene is about is done.
 */
type Script = (panel: Panel, pause: (seconds: number) => number, deed: () => void) => Generator<number, void>

/** The types of zones that do for a scene, the best one first; scenes without an entry need none. */
const zoneTypes: Partial<Record<RehearsalScene, readonly [string, ...string[]]>> = {
  'burglary-entry': ['DELAY_1', 'DELAY_2', 'HOME_DELAY'],
  'burglary-window': ['PERIMETER', 'PERIMETER_FOLLOW'],
  fire: ['FIRE'],
  water: ['FLOOD'],
}

const interior = ['INTERIOR', 'INTERIOR_FOLLOW', 'INTERIOR_DELAY']

/** Seconds: the shortest abort time that a panel can have (makers' guides). */
const abortTime = 15

/** Types of events: duress, mains power lost and restored. */
const duressEvent = 15
const powerLostEvent = 47
const powerRestoredEvent = 48

/**
 * Returns a plan with which the scene can be played: if the panel has no zone of a type that the scene needs, its last zone
 * takes its place, or a new one in a panel without zones.
 */
export function planFor(scene: RehearsalScene, plan: PanelPlan): PanelPlan {
  const types = zoneTypes[scene]
  const zones = plan.devices.filter(isZone)
  if (zones.length > 0 && (types === undefined || findZone(zones, types))) return plan
  const [zone_type] = types ?? ['PERIMETER']
  const last = zones.at(-1)
  const replaced: Device = { ...(last ?? newZone(plan)), zone_type }
  return { ...plan, devices: [...plan.devices.filter((device) => device !== last), replaced] }
}

/**
 * Plays a scene. Returns a function that ends it early.
 * @param pace 2 waits half as long, except for the delays of the panel
 * @param onEnd called when the scene has come to its end by itself
 * @param onDeed called when what the scene is about is done, such as a window opened
 */
export function playScene(
  scene: RehearsalScene,
  panel: Panel,
  time: WorldTime,
  pace: number,
  onEnd: () => void,
  onDeed: () => void = () => {},
): () => void {
  const script = scripts[scene](panel, (seconds) => seconds / pace, onDeed)
  let cancel = () => {}
  const next = () => {
    const { done, value } = script.next()
    if (done) onEnd()
    else cancel = time.after(value, next)
  }
  next()
  return () => {
    cancel()
    script.return()
  }
}

const scripts: Record<RehearsalScene, Script> = {
  *'burglary-entry'(panel, pause, deed) {
    const door = zoneFor('burglary-entry', panel)
    const motion = findZone(panel.devices.filter(isZone), interior)
    try {
      yield* armed(panel, pause, door, 'AWAY', function* ({ entryDelay }) {
        panel.open(door.device_number)
        deed()
        yield entryDelay + pause(8)
        if (motion) yield* opened(panel, motion.device_number, pause(8))
        yield pause(15)
      })
    } finally {
      panel.close(door.device_number)
    }
    yield pause(5)
  },
  // The siren sounds at once, and the panel reports the alarm only after its abort time.
  *'burglary-window'(panel, pause, deed) {
    const window = zoneFor('burglary-window', panel)
    panel.setOptions({ abortTime })
    try {
      yield* armed(panel, pause, window, 'HOME', function* () {
        panel.open(window.device_number)
        deed()
        yield abortTime + pause(25)
      })
    } finally {
      panel.close(window.device_number)
    }
    yield pause(5)
  },
  *fire(panel, pause, deed) {
    deed()
    yield* opened(panel, zoneFor('fire', panel).device_number, pause(30))
    yield pause(5)
  },
  *water(panel, pause, deed) {
    deed()
    yield* opened(panel, zoneFor('water', panel).device_number, pause(30))
    yield pause(5)
  },
  *panic(panel, pause, deed) {
    const button =
      panel.devices.find(({ device_type }) => ['KEYFOB', 'WIRELESS_COMMANDER'].includes(device_type)) ??
      anyZone(panel)
    panel.panic(button.id)
    deed()
    try {
      yield pause(20)
    } finally {
      panel.disarm(-1, lastUser(panel))
    }
    yield pause(5)
  },
  *duress(panel, pause, deed) {
    const user = lastUser(panel)
    yield* armed(panel, pause, anyZone(panel), 'AWAY', function* () {
      panel.log({ type_id: duressEvent, ...userSource(panel.plan.users, user) })
      deed()
      yield pause(1)
    })
    yield pause(20)
  },
  *'nobody-leaves'(panel, pause, deed) {
    deed()
    const { exitMode } = panel.options
    panel.setOptions({ exitMode: 'restart-or-home' })
    try {
      yield* armed(panel, pause, anyZone(panel), 'AWAY', function* () {
        yield pause(20)
      })
    } finally {
      panel.setOptions({ exitMode })
    }
    yield pause(5)
  },
  *tamper(panel, pause, deed) {
    const { device_number } = anyZone(panel)
    panel.tamper(device_number)
    deed()
    try {
      yield pause(25)
    } finally {
      panel.restoreTamper(device_number)
    }
    yield pause(5)
  },
  *'low-battery'(panel, pause, deed) {
    const { id } = anyZone(panel)
    panel.lowBattery(id)
    deed()
    try {
      yield pause(25)
    } finally {
      panel.restoreBattery(id)
    }
    yield pause(5)
  },
  *'power-cut'(panel, pause, deed) {
    panel.log({ type_id: powerLostEvent })
    deed()
    try {
      yield pause(40)
    } finally {
      panel.log({ type_id: powerRestoredEvent })
    }
    yield pause(5)
  },
  *offline(panel, pause, deed) {
    panel.goOffline()
    deed()
    try {
      yield pause(45)
    } finally {
      panel.goOnline()
    }
    yield pause(5)
  },
}

/** Arms the partition of a zone, waits for its exit delay, and disarms it after the act. */
function* armed(
  panel: Panel,
  pause: (seconds: number) => number,
  { partitions }: Device,
  state: 'AWAY' | 'HOME',
  act: (delays: { entryDelay: number }) => Generator<number, void>,
): Generator<number, void> {
  const { plan } = panel.partitions.find((one) => partitions.includes(one.plan.id)) ??
    panel.partitions[0] ?? { plan: { id: -1, exitDelay: 0, entryDelay: 0 } }
  panel.arm(plan.id, state)
  try {
    yield plan.exitDelay + pause(5)
    yield* act(plan)
  } finally {
    panel.disarm(plan.id, lastUser(panel))
  }
  yield pause(3)
}

/** Returns who disarms: not the one who has armed, if the panel has more users. */
function lastUser({ plan }: Panel): { user?: string } {
  const user = plan.users.at(1) ?? plan.users[0]
  return user === undefined ? {} : { user }
}

function zoneFor(scene: RehearsalScene, panel: Panel): Device {
  return findZone(panel.devices.filter(isZone), zoneTypes[scene] ?? []) ?? anyZone(panel)
}

function anyZone({ devices, serial }: Panel): Device {
  const zone = devices.find(isZone)
  if (zone === undefined) throw new RangeError(`Panel ${serial} has no zone: make its plan with planFor.`)
  return zone
}

function findZone(zones: readonly Device[], types: readonly string[]): Device | undefined {
  for (const type of types) {
    const found = zones.find(({ zone_type }) => zone_type === type)
    if (found) return found
  }
  return undefined
}

function isZone({ device_type }: Device): boolean {
  return device_type === 'ZONE'
}

function newZone({ devices, partitions }: PanelPlan): Device {
  return {
    id: Math.max(0, ...devices.map(({ id }) => id)) + 1,
    enrollment_id: null,
    device_number: 1,
    device_type: 'ZONE',
    zone_type: null,
    subtype: 'CONTACT',
    preenroll: false,
    warnings: null,
    partitions: partitions.map(({ id }) => Math.max(id, 1)),
    traits: { bypass: { enabled: false } },
    name: '',
    removable: true,
    renamable: true,
  }
}
