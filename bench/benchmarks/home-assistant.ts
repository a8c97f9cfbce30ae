import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { panelDevices, partitionState, source } from '../../harness/fixtures/samples.ts'
import { setupOf } from '../../harness/home-assistant/setups.ts'
import { Announcer } from '../../src/home-assistant/announcer.ts'
import { emptyMemory } from '../../src/home-assistant/announcer-memory.ts'
import { diagnosticState } from '../../src/home-assistant/entities/diagnostics.ts'
import { type StateMessage, StateReport } from '../../src/messages/state-message.ts'
import { type Device, devices as deviceList } from '../../src/service/responses/devices.ts'
import { parse } from '../../src/service/schema.ts'
import type { Comparison } from '../comparison.ts'
import { devices } from '../sample-responses.ts'
import { timeFunctions } from '../timing.ts'

const polls = 1000
const rounds = 400

/** The partitions that the example shows. */
const partitions = [1, 2, 3]

const account = {
  apiVersion: '14.0',
  heldUntil: undefined,
  license: undefined,
  budget: { limit: 30, usedLastMinute: 4, waiting: 0, wanted: 6, usedToday: 900 },
}

/**
 * Publishes and processor time of a poll of 64 devices, compared with what has changed, with JSON.parse of the answer, and
 * with the example of version 0.1.0, which shows the state of each partition and nothing else.
 */
export default async function homeAssistant(): Promise<Comparison[]> {
  const json = JSON.stringify(devices(64))
  const calm = parse(deviceList, JSON.parse(json))?.value ?? []
  const other = calm.map(changed)
  const bridge = announcer()
  bridge.poll(calm, 'DISARM')
  bridge.move()
  const topics = bridge.take()
  for (let poll = 0; poll < polls; poll += 1) bridge.poll(calm, 'DISARM')
  const idle = bridge.take()
  bridge.poll(other, 'AWAY')
  const busy = bridge.take()
  const things = 64 + partitions.length
  const example = exampleOf010()
  let turn = 0
  const times = timeFunctions(rounds, () => {
    turn += 1
    const isOdd = turn % 2 === 1
    return {
      parsed: () => JSON.parse(json),
      unchanged: () => bridge.poll(isOdd ? other : calm, isOdd ? 'AWAY' : 'DISARM'),
      changed: () => bridge.poll(isOdd ? calm : other, isOdd ? 'DISARM' : 'AWAY'),
      example: () => example(isOdd ? 'DISARM' : 'AWAY'),
    }
  })
  const perEntity = { ours: times.unchanged / bridge.entities, theirs: times.example / partitions.length }
  return [
    { what: `publishes in ${polls} unchanged polls / topics`, ours: idle, theirs: topics, unit: '', goal: 0 },
    {
      what: 'publishes if all has changed / things that have',
      ours: busy,
      theirs: things,
      unit: '',
      goal: 1.05,
    },
    {
      what: 'unchanged poll / parsing the devices',
      ours: times.unchanged,
      theirs: times.parsed,
      unit: 'µs',
      goal: 5,
    },
    {
      what: 'all changed / parsing the devices',
      ours: times.changed,
      theirs: times.parsed,
      unit: 'µs',
      goal: 6,
    },
    { what: 'unchanged poll for each entity / the example of 0.1.0', ...perEntity, unit: 'µs', goal: 1 },
  ]
}

/** Returns the device with another temperature and another warning. */
function changed(device: Device): Device {
  const { traits, warnings } = device
  const meteo = traits.meteo_info
  const temperature = meteo?.temperature ? { ...meteo.temperature, value: meteo.temperature.value + 1 } : null
  const warning = { type: 'TAMPER', severity: 'TROUBLE', in_memory: false }
  return {
    ...device,
    warnings: warnings.length > 0 ? [] : [warning],
    traits: { ...traits, meteo_info: { brightness: meteo?.brightness ?? null, temperature } },
  }
}

/** An announcer that is told each poll, and counts what it publishes. */
function announcer() {
  const clock = new FakeClock()
  let sent = 0
  const send = ({ length }: { length: number }) => {
    sent += length
  }
  const one = new Announcer(setupOf(), emptyMemory(), { clock, random: () => 0, send, ready: () => {} })
  one.start()
  clock.advance(3000)
  return {
    get entities() {
      return one.count
    },
    poll(listed: readonly Device[], value: string) {
      const state = {
        online: true,
        partitions: partitions.map((id) => partitionState({ id, value, alarms: [] })),
      }
      const now = clock.monotonic()
      one.noteState(state)
      one.noteDevices(panelDevices(listed))
      one.update({
        identity: { title: 'House', model: 'Model', manufacturer: 'Maker' },
        state,
        devices: listed,
        available: true,
        areDevicesCurrent: true,
        diagnostics: diagnosticState({ online: true, age: 0, validFor: 90_000, account }, undefined),
        now,
        wall: now,
        timeZone: 'UTC',
      })
    },
    /** Waits until Home Assistant has let go of the entities of the example, which move. */
    move() {
      clock.advance(3000)
    },
    take() {
      const taken = sent
      sent = 0
      return taken
    },
  }
}

/** Returns what a poll did in the example of version 0.1.0: the state node, then the function "entity" for each message. */
function exampleOf010(): (value: string) => void {
  const report = new StateReport({ partitions: [], vocabulary: 'home-assistant' })
  let told: string[] = []
  const entity = (message: StateMessage): unknown => {
    const { serial, alias } = message.panel
    const { id, name } = message.partition
    const topic = `keyholder/home/${id}`
    const uniqueId = `keyholder_${serial}_${id}`
    const description = {
      unique_id: uniqueId,
      name: name || null,
      device: { identifiers: [`keyholder_${serial}`], name: alias || serial },
      state_topic: `${topic}/state`,
      command_topic: `${topic}/set`,
      availability: [{ topic: 'keyholder/home/bridge' }, { topic: 'keyholder/home/available' }],
      availability_mode: 'all',
      supported_features: ['arm_away', 'arm_home'],
      code_arm_required: false,
    }
    told = [...new Set([...told, uniqueId])]
    return { topic: description.state_topic, payload: message.payload }
  }
  return (value) => {
    const view = {
      online: true,
      partitions: partitions.map((id) => partitionState({ id, value, alarms: [] })),
    }
    for (const message of report.messages(view, source, 'all', 0)) entity(message)
  }
}
