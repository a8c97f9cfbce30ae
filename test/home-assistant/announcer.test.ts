import assert from 'node:assert/strict'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { catalogue, event, panelDevices, partitionState, source } from '../../harness/fixtures/samples.ts'
import { setupOf, warningOf, zoneOf } from '../../harness/home-assistant/setups.ts'
import type { PanelFacts } from '../../src/home-assistant/announced-entities.ts'
import { Announcer } from '../../src/home-assistant/announcer.ts'
import { emptyMemory } from '../../src/home-assistant/announcer-memory.ts'
import { diagnosticState, unknownDiagnostics } from '../../src/home-assistant/entities/diagnostics.ts'
import type { BrokerMessage } from '../../src/home-assistant/publisher.ts'
import type { Setup } from '../../src/home-assistant/setup.ts'
import { type EventMessage, eventMessage } from '../../src/messages/event-message.ts'

const minute = 60_000
const online = { topic: 'keyholder/bridge', payload: 'online' }
const birth = { topic: 'homeassistant/status', payload: 'online' }

const availability = (payload: string) => ({ topic: 'keyholder/A1B2C3/availability', payload })

/** The messages about a panel that nobody has read. */
const unread = [
  availability('offline'),
  { topic: 'keyholder/A1B2C3/diagnostics/state', payload: JSON.stringify(unknownDiagnostics) },
].map((one) => ({ ...one, qos: 1, retain: true }))

const account = {
  apiVersion: '14.0',
  heldUntil: undefined,
  license: undefined,
  budget: { limit: 30, usedLastMinute: 4, waiting: 0, wanted: 6, usedToday: 900 },
}

const zones = (...ids: number[]) => ids.map((id) => zoneOf(id))

/** An announcer on a fake clock, and what it has sent. */
function start(setup: Setup = setupOf(), memory = emptyMemory()) {
  const clock = new FakeClock()
  const sent: BrokerMessage[] = []
  let readies = 0
  const announcer = new Announcer(setup, memory, {
    clock,
    random: () => 0.5,
    send: (messages) => sent.push(...messages),
    ready: () => {
      readies += 1
    },
  })
  announcer.start()
  /** @param hasAll true if two answers agree on devices and partitions */
  const update = (devices = zones(1, 2), partitions = [partitionState({ id: 1 })], hasAll = false) => {
    const state = { online: true, partitions, hasAllPartitions: hasAll }
    announcer.noteState(state)
    announcer.noteDevices(panelDevices(devices, { hasAll }))
    const facts: PanelFacts = {
      identity: { title: 'House', model: '', manufacturer: '' },
      state,
      devices,
      available: true,
      areDevicesCurrent: true,
      diagnostics: diagnosticState({ online: true, age: 0, validFor: minute, account }, undefined),
      now: clock.monotonic(),
      wall: clock.wall(),
      timeZone: 'UTC',
    }
    announcer.update(facts)
  }
  return {
    announcer,
    clock,
    memory,
    update,
    /** Publishes events of a panel whose clock is right. */
    publish: (events: readonly EventMessage[]) =>
      announcer.publishEvents(events, (time) => clock.wall() - Date.parse(time)),
    hear: ({ topic, payload, retain = false }: { topic: string; payload: string; retain?: boolean }) =>
      announcer.note(topic, payload, retain),
    /** Returns what was sent since the last call. */
    take: () => sent.splice(0),
    get readies() {
      return readies
    },
  }
}

/** Returns an announcer that has announced everything. */
function started(setup?: Setup) {
  const one = start(setup)
  one.hear(online)
  one.update()
  one.clock.advance(10_000)
  one.take()
  return one
}

/** Returns a list of announcements as the broker has kept it. */
const kept = (manifest: unknown) => ({
  topic: 'keyholder/A1B2C3/announced',
  payload: JSON.stringify(manifest),
  retain: true,
})

const topics = (messages: readonly BrokerMessage[]) => messages.map(({ topic }) => topic)

describe('The announcer', () => {
  it('announces the battery of a device of any type when it is first low, and never takes it back', () => {
    const { update, clock, take } = started()
    const tag = { device_type: 'PROXY_TAG', zone_type: null }
    const batteries = () => {
      clock.advance(minute)
      return take().filter(({ topic, payload }) => /device.*config/.test(topic) && /"battery"/.test(payload))
    }
    update([zoneOf(1), zoneOf(2), zoneOf(3, tag)])
    assert.deepEqual(batteries(), [])
    update([zoneOf(1), zoneOf(2), zoneOf(3, { ...tag, warnings: [warningOf('LOW_BATTERY')] })])
    assert.equal(batteries().length, 1)
    for (let read = 0; read < 3; read += 1) update([zoneOf(1), zoneOf(2), zoneOf(3, tag)])
    clock.advance(minute)
    const later = take()
    assert.deepEqual(
      later.filter(({ topic }) => topic.endsWith('/config')),
      [],
    )
    assert.ok(later.some(({ payload }) => /"battery":"OFF"/.test(payload)))
  })

  it('publishes nothing in a thousand reads without a change', () => {
    const { update, clock, take } = started()
    for (let read = 0; read < 1000; read += 1) {
      clock.advance(minute)
      update()
    }
    assert.deepEqual(take(), [])
  })

  it('publishes only the states that have changed', () => {
    const { update, take } = started()
    update([zoneOf(1), zoneOf(2, { warnings: [{ type: 'OPENED', severity: '', in_memory: false }] })])
    assert.deepEqual(topics(take()), ['keyholder/A1B2C3/d2/state'])
  })

  it('waits for the broker, so that it has sent what it keeps, or for three seconds', () => {
    const one = start()
    one.update()
    one.clock.advance(2999)
    assert.deepEqual([one.take(), one.readies], [[], 0])
    one.clock.advance(1)
    assert.ok(one.take().length > 0)
  })

  it('awaits the broker before it gets events, which are lost without, but not for more than a minute', () => {
    const late = start()
    late.update()
    late.clock.advance(30_000)
    assert.equal(late.readies, 0)
    late.hear(online)
    assert.equal(late.readies, 1)
    late.clock.advance(10 * minute)
    assert.equal(late.readies, 1)
    const silent = start()
    silent.clock.advance(minute)
    assert.equal(silent.readies, 1)
    // After a redeploy, the broker sends nothing again to a node that kept its connection.
    const again = start(setupOf(), late.memory)
    again.clock.advance(3000)
    assert.equal(again.readies, 1)
  })

  it('announces everything after a random moment when Home Assistant starts, and then publishes all states', () => {
    for (const message of [birth, online]) {
      const { hear, clock, take } = started()
      assert.equal(hear(message), true)
      clock.advance(1499)
      assert.deepEqual(take(), [])
      clock.advance(1)
      const announced = take()
      assert.ok(announced.every(({ topic }) => topic.startsWith('homeassistant/')))
      assert.equal(announced.length, 3)
      clock.advance(1000)
      const states = topics(take())
      assert.ok(states.includes('keyholder/A1B2C3/partition_1/state'))
      assert.ok(states.includes('keyholder/A1B2C3/availability'))
      assert.ok(states.every((topic) => topic.startsWith('keyholder/')))
    }
  })

  it('takes a start that the broker has kept for no news, once it was told of the start', () => {
    for (const message of [birth, online]) {
      const { hear, clock, take } = started()
      hear({ ...birth, retain: false })
      clock.advance(10_000)
      take()
      hear({ ...message, retain: true })
      clock.advance(10_000)
      assert.deepEqual(take(), [])
      // The connection was lost meanwhile, so messages may have been lost too.
      hear({ ...message, payload: 'offline', retain: true })
      hear({ ...message, retain: true })
      clock.advance(10_000)
      assert.ok(topics(take()).includes('homeassistant/device/keyholder_A1B2C3/config'))
    }
  })

  it('announces at each start if the subscription marks every message as kept, as one of MQTT 5 can', () => {
    const one = start()
    one.hear({ ...online, retain: true })
    one.update()
    one.clock.advance(10_000)
    one.take()
    one.hear({ ...online, retain: true })
    one.clock.advance(10_000)
    assert.ok(topics(one.take()).includes('homeassistant/device/keyholder_A1B2C3/config'))
  })

  it('publishes announcements and states once after its own start, whenever the broker is heard', () => {
    for (const wait of [0, 1000, 2500]) {
      const one = start()
      one.clock.advance(wait)
      one.hear(online)
      one.update()
      one.clock.advance(10_000)
      // Two messages move what the example of version 0.1.0 announced.
      const sent = topics(one.take()).filter((topic) => !topic.includes('alarm_control_panel'))
      assert.ok(sent.length > 5)
      assert.deepEqual(sent, [...new Set(sent)])
    }
  })

  it('believes no list of announcements but its own while it runs', () => {
    const { hear, update, clock, take, memory } = started()
    const { states = [], ...others } = memory.manifest ?? {}
    hear({ ...kept({ ...others, states: [...states, 'keyholder/A1B2C3/d9/state'] }), retain: false })
    clock.advance(minute)
    update()
    assert.deepEqual(take(), [])
  })

  it('announces once when it hears of several starts at a time', () => {
    const { hear, clock, take } = started()
    for (let time = 0; time < 5; time += 1) for (const message of [birth, online]) hear(message)
    clock.advance(10_000)
    assert.equal(topics(take()).filter((topic) => topic.endsWith('A1B2C3/config')).length, 1)
  })

  it('does not announce when Home Assistant stops', () => {
    const { hear, clock, take } = started()
    hear({ ...birth, payload: 'offline' })
    clock.advance(10_000)
    assert.deepEqual(take(), [])
  })

  it('announces a device that the panel has got since, and its state, and the others not again', () => {
    const { update, take } = started()
    update(zones(1, 2, 3))
    const sent = topics(take())
    assert.deepEqual(
      sent.filter((topic) => topic.endsWith('/config')),
      ['homeassistant/device/keyholder_A1B2C3_d3/config'],
    )
    assert.ok(sent.includes('keyholder/A1B2C3/d3/state'))
  })

  it('removes a device that is gone, and keeps it as long as this is not certain', () => {
    const { update, take } = started()
    update(zones(1))
    assert.deepEqual(
      topics(take()).filter((topic) => topic.includes('_d2/')),
      [],
    )
    update(zones(1), undefined, true)
    const removed = take().filter(({ payload }) => payload === '')
    assert.deepEqual(topics(removed), [
      'homeassistant/device/keyholder_A1B2C3_d2/config',
      'keyholder/A1B2C3/d2/state',
    ])
    assert.ok(removed.every(({ retain }) => retain))
    update(zones(1, 2))
    assert.ok(topics(take()).includes('homeassistant/device/keyholder_A1B2C3_d2/config'))
  })

  it('says nothing of problems and bypasses while a device may be there that was announced', () => {
    const { update, take } = started()
    const told = () => {
      const { payload } =
        take().findLast(({ topic }) => topic === 'keyholder/A1B2C3/panel/state') ?? assert.fail()
      const { problem, troubles, bypassed_zones } = JSON.parse(payload)
      return [problem, troubles, bypassed_zones]
    }
    update(zones(1))
    assert.deepEqual(told(), [null, null, null])
    const faulty = zoneOf(1, {
      warnings: [{ type: 'TAMPER', severity: 'TROUBLE', in_memory: false }],
      traits: { ...zoneOf(1).traits, bypass: { enabled: true } },
    })
    update([faulty])
    assert.deepEqual(told(), ['ON', null, 'ON'])
    update(zones(1, 2))
    assert.deepEqual(told(), ['OFF', 0, 'OFF'])
  })

  it('removes at once the devices of which no selected group has an entity, and no others', () => {
    const keyfob = zoneOf(9, { device_type: 'KEYFOB', traits: { ...zoneOf(9).traits, bypass: null } })
    const before = start()
    before.hear(online)
    before.update([...zones(1, 2), keyfob])
    before.clock.advance(10_000)
    const removedWith = (groups: Setup['groups'], devices?: ReturnType<typeof zones>) => {
      const one = start(setupOf({ groups }), structuredClone(before.memory))
      one.update(devices)
      one.clock.advance(3000)
      const configs = one.take().filter(({ topic, payload }) => topic.endsWith('/config') && payload === '')
      return topics(configs).map((topic) => /_(d\d+)\/config$/.exec(topic)?.[1])
    }
    assert.deepEqual(removedWith(new Set(['alarm_panel', 'events']), []), ['d1', 'd2', 'd9'])
    assert.deepEqual(removedWith(new Set(['bypass']), [...zones(1, 2), keyfob]), ['d9'])
    assert.deepEqual(removedWith(new Set(['zones']), zones(1)), [])
  })

  it('removes what is gone since the last process, by the list that the broker keeps', () => {
    const before = started()
    const manifest = before.memory.manifest ?? assert.fail()
    const one = start()
    one.hear(kept(manifest))
    one.update(zones(1))
    one.clock.advance(3000)
    assert.deepEqual(
      topics(one.take()).filter((topic) => topic.includes('alarm_control_panel')),
      [],
    )
    one.update(zones(1), undefined, true)
    const removed = one.take().filter(({ payload }) => payload === '')
    assert.ok(topics(removed).includes('homeassistant/device/keyholder_A1B2C3_d2/config'))
  })

  it('keeps a partition that the first reads after a start lack, and removes it when they agree', () => {
    const two = [partitionState({ id: 1 }), partitionState({ id: 2 })]
    const before = start()
    before.update(zones(1), two)
    before.clock.advance(10_000)
    const manifest = kept(before.memory.manifest)
    for (const memory of [emptyMemory(), structuredClone(before.memory)]) {
      const one = start(setupOf(), memory)
      const lost = () =>
        one
          .take()
          .filter(
            (sent) =>
              sent.payload === '' ||
              sent.payload.includes('"partition_2":{"platform":"alarm_control_panel"}'),
          )
      one.update(zones(1), two.slice(0, 1))
      if (memory.manifest === undefined) one.hear(manifest)
      one.clock.advance(minute)
      one.update(zones(1), two.slice(0, 1))
      assert.deepEqual(lost(), [])
      one.update(zones(1), two.slice(0, 1), true)
      assert.deepEqual(topics(lost()), [
        'homeassistant/device/keyholder_A1B2C3/config',
        'keyholder/A1B2C3/partition_2/state',
      ])
    }
  })

  it('does all of it again when the broker comes later than the node', () => {
    const old = started().memory.manifest ?? assert.fail()
    for (const heard of [undefined, { ...old, objects: { ...old.objects, d9: {} } }]) {
      const one = start()
      one.update()
      one.clock.advance(10_000)
      one.take()
      if (heard) one.hear(kept(heard))
      one.hear(online)
      one.clock.advance(10_000)
      const sent = one.take()
      const example = 'homeassistant/alarm_control_panel/keyholder_A1B2C3_1/config'
      const ofExample = sent.filter(({ topic }) => topic === example).map(({ payload }) => payload)
      assert.deepEqual(ofExample, heard ? [] : ['{"migrate_discovery":true}', ''])
      one.update(undefined, undefined, true)
      const ghost = [...sent, ...one.take()].filter(({ topic }) => topic.includes('_d9/'))
      assert.deepEqual(
        ghost.map(({ payload }) => payload),
        heard ? [''] : [],
      )
    }
  })

  it('moves only the entities that it still has from one form to the other, and removes the others', () => {
    const setups = (changes: Partial<Setup>) => [
      setupOf({ ...changes, form: 'single' }),
      setupOf({ ...changes, form: 'device' }),
    ]
    const migration = '{"migrate_discovery":true}'
    const sentBy = (setup: Setup, memory = emptyMemory()) => {
      const one = start(setup, structuredClone(memory))
      one.update()
      one.clock.advance(10_000)
      return one.take()
    }
    const memoryOf = (setup?: Setup) => started(setup).memory

    const [single, device] = setups({})
    const [fewSingle, fewDevice] = setups({ groups: new Set(['zones'] as const) })
    const example = 'homeassistant/alarm_control_panel/keyholder_A1B2C3_1/config'
    const payloads = (messages: BrokerMessage[], topic: string) =>
      messages.filter((sent) => sent.topic === topic).map(({ payload }) => payload)

    assert.deepEqual(payloads(sentBy(setupOf({ allowsCommands: false })), example), [''])
    const toDevice = sentBy(fewDevice ?? assert.fail(), memoryOf(single))
    assert.deepEqual(payloads(toDevice, example), [''])
    const kept = 'homeassistant/binary_sensor/keyholder_A1B2C3_d1_open/config'
    assert.deepEqual(payloads(toDevice, kept), [migration, ''])
    const toSingle = sentBy(fewSingle ?? assert.fail(), memoryOf(device))
    const [thinned, ...rest] = payloads(toSingle, 'homeassistant/device/keyholder_A1B2C3_d1/config')
    const { components } = JSON.parse(thinned ?? '')
    assert.deepEqual(components.temperature, { platform: 'sensor' })
    assert.equal(components.open.unique_id, 'keyholder_A1B2C3_d1_open')
    assert.deepEqual(rest, [migration, ''])
  })

  it('gives Home Assistant a second to let go of entities that move, also over a redeploy in that second', () => {
    const { memory } = started(setupOf({ form: 'single' }))
    const migration = '{"migrate_discovery":true}'
    const isMigration = ({ payload }: BrokerMessage) => payload === migration
    const one = start(setupOf(), memory)
    one.update()
    one.clock.advance(3000)
    one.clock.advance(999)
    one.update(zones(1, 2, 3))
    assert.ok(one.take().every(isMigration))
    one.announcer.stop()
    const next = start(setupOf(), memory)
    next.update()
    next.clock.advance(3999)
    const told = next.take()
    assert.ok(told.length > 0 && told.every(isMigration))
    next.clock.advance(1)
    const sent = next.take()
    assert.ok(!sent.some(isMigration))
    const left = sent.filter(({ payload }) => payload === '')
    assert.deepEqual(new Set(topics(left)), new Set(topics(told)))
    assert.ok(
      sent.indexOf(left[0] ?? assert.fail()) >
        topics(sent).indexOf('homeassistant/device/keyholder_A1B2C3_d2/config'),
    )
    next.clock.advance(minute)
    next.update()
    assert.deepEqual(next.take(), [])
  })

  it('answers the will of another connection, because who hears it is connected', () => {
    const { hear, take } = started()
    hear({ ...online, payload: 'offline' })
    assert.deepEqual(take(), [{ ...online, qos: 1, retain: true }])
  })

  it('publishes nothing while another instance does, and everything afterwards', () => {
    const { announcer, hear, update, clock, take } = started()
    announcer.rest()
    hear(birth)
    hear({ ...online, payload: 'offline' })
    clock.advance(10_000)
    assert.deepEqual(take(), [])
    update()
    const sent = topics(take())
    assert.equal(sent[0], 'keyholder/bridge')
    assert.ok(sent.includes('homeassistant/device/keyholder_A1B2C3/config'))
    assert.ok(sent.includes('keyholder/A1B2C3/d2/state'))
  })

  it('goes on after a redeploy with what it has published', () => {
    const { memory } = started()
    const again = start(setupOf(), memory)
    again.update()
    again.clock.advance(3000)
    assert.deepEqual(again.take(), [])
  })

  it('remembers no more topics than there are entities and devices', () => {
    const { update, clock, memory } = started()
    for (let round = 0; round < 50; round += 1) {
      clock.advance(2 * minute)
      update(zones(round + 1, round + 2), undefined, true)
    }
    assert.ok(memory.sent.size < 20, `${memory.sent.size}`)
  })

  it('passes each event on once, with its triggers, and keeps the latest as a state', () => {
    const { publish, hear, clock, take } = started()
    const fields = { type_id: 36, zone_name: 'Hall', datetime: '2026-11-20 12:00:00' }
    publish([eventMessage({ event: event(fields), key: 'one' }, catalogue, source, 'UTC')])
    const passing = take().filter(({ retain }) => !retain)
    assert.deepEqual(
      passing.map(({ topic, payload }) => [
        topic,
        topic.endsWith('event') ? JSON.parse(payload).event_type : payload,
      ]),
      [
        ['keyholder/A1B2C3/event', 'alarm'],
        ['keyholder/A1B2C3/trigger', 'alarm'],
        ['keyholder/A1B2C3/trigger', 'fire'],
      ],
    )
    hear(birth)
    clock.advance(10_000)
    const again = take()
    assert.ok(again.every(({ retain }) => retain))
    assert.ok(topics(again).includes('keyholder/A1B2C3/last_event/state'))
  })

  it('fires no trigger for an event that is sent again, and for a missed one only within ten minutes', () => {
    const { publish, take } = started()
    const fired = (time: string, marks: object) => {
      const fields = { type_id: 1, datetime: `2026-11-20 ${time}` }
      publish([{ ...eventMessage({ event: event(fields), key: time }, catalogue, source, 'UTC'), ...marks }])
      const paths = topics(take()).map((topic) => topic.slice('keyholder/A1B2C3/'.length))
      assert.equal(paths[0], 'event')
      return paths.includes('trigger')
    }
    // The clock stands at 12:00.
    assert.equal(fired('12:00:00', { redelivered: true }), false)
    assert.equal(fired('11:51:00', { late: true }), true)
    assert.equal(fired('11:49:00', { late: true }), false)
    assert.equal(fired('11:51:00', { late: true, redelivered: true }), false)
    // The service or the network was late, and nobody has heard of the alarm.
    assert.equal(fired('11:00:00', {}), true)
    assert.equal(fired('', { late: true }), false)
  })

  it('goes on from the latest event that the broker keeps, and not from an older one', () => {
    const { announcer, hear, update, take } = started()
    const last = (time: string) => JSON.stringify({ value: 'Fire', attributes: { type: 'alarm', time } })
    const topic = 'keyholder/A1B2C3/last_event/state'
    hear({ topic, payload: last('2026-11-20T12:00:00.000Z') })
    hear({ topic, payload: last('2026-11-20T11:00:00.000Z') })
    update()
    assert.deepEqual(take(), [])
    announcer.rest()
    update()
    const kept = take().find((message) => message.topic === topic)
    assert.equal(kept?.payload, last('2026-11-20T12:00:00.000Z'))
  })

  it('goes on from no kept text that is not a state of its own', () => {
    const topic = 'keyholder/A1B2C3/last_event/state'
    const time = '2026-11-20T12:00:00.000Z'
    const state = { value: 'Fire', attributes: { time } }
    for (const payload of [
      `"time":"${time}"`,
      `{"value":"Fire","attributes":{"time":"${time}"}`,
      JSON.stringify([state]),
      JSON.stringify({ ...state, more: 1 }),
      JSON.stringify({ ...state, value: 1 }),
      JSON.stringify({ ...state, value: 'x'.repeat(256) }),
      JSON.stringify({ ...state, attributes: [time] }),
      JSON.stringify({ ...state, attributes: { time, more: { html: '<b>' } } }),
      JSON.stringify({ ...state, attributes: { time, more: 'x'.repeat(10_000) } }),
      `${JSON.stringify(state).slice(0, -1)},"__proto__":{}}`,
    ]) {
      const { announcer, hear, update, take } = started()
      hear({ topic, payload, retain: true })
      // Everything is published anew.
      announcer.rest()
      update()
      assert.ok(!topics(take()).includes(topic), payload)
    }
  })

  it('lets the next event replace a kept one of the future, but no event of the last minutes an older one', () => {
    const topic = 'keyholder/A1B2C3/armed_by/state'
    const kept = (name: string, time: string) => JSON.stringify({ value: name, attributes: { time } })
    const armed = (time: string) =>
      eventMessage(
        { event: event({ type_id: 86, appointment: 'Anna', datetime: time }), key: time },
        catalogue,
        source,
        'UTC',
      )
    const nameAfter = (before: string, time: string) => {
      const { publish, hear, take } = started()
      hear({ topic, payload: kept('Tom', before), retain: true })
      publish([armed(time)])
      return take().flatMap((sent) => (sent.topic === topic ? [JSON.parse(sent.payload).value] : []))
    }
    // The clock stands at 12:00.
    assert.deepEqual(nameAfter('2041-01-01T00:00:00.000Z', '2026-11-20 12:00:00'), ['Anna'])
    assert.deepEqual(nameAfter('2026-11-20T12:05:00.000Z', '2026-11-20 12:04:00'), [])
    assert.deepEqual(nameAfter('2026-11-20T12:05:00.000Z', '2026-11-20 12:06:00'), ['Anna'])
    const { publish, hear, take } = started()
    publish([armed('2041-01-01 00:00:00')])
    hear({ topic, payload: kept('Tom', '2026-11-20T11:59:00.000Z'), retain: false })
    publish([armed('2026-11-20 12:00:00')])
    const named = take().filter((sent) => sent.topic === topic)
    assert.match(named.at(-1)?.payload ?? '', /"Anna".*"2026-11-20T12:00:00.000Z"/)
  })

  it('cuts a long description at a whole character', () => {
    const { publish, take } = started()
    const last = (description: string) => {
      publish([
        eventMessage(
          { event: event({ type_id: 1, description }), key: description },
          catalogue,
          source,
          'UTC',
        ),
      ])
      return take().flatMap(({ topic, payload }) =>
        topic.includes('last_event') ? [JSON.parse(payload).value] : [],
      )
    }
    assert.deepEqual(last(`${'a'.repeat(254)}\u{1f6aa}`), ['a'.repeat(254)])
    assert.deepEqual(last(`${'b'.repeat(253)}\u{1f6aa}c`), [`${'b'.repeat(253)}\u{1f6aa}`])
  })

  it('does not go back to an older event that comes later', () => {
    const { publish, take } = started()
    const last = (time: string, type_id = 1) => {
      const fields = { type_id, appointment: 'Anna', description: time, datetime: `2026-11-20 ${time}` }
      publish([eventMessage({ event: event(fields), key: time }, catalogue, source, 'UTC')])
      return take().flatMap(({ retain, payload }) => (retain ? [JSON.parse(payload).value] : []))
    }
    assert.deepEqual(last('11:00:00', 86), ['11:00:00', 'Anna'])
    assert.deepEqual(last('12:00:00'), ['12:00:00'])
    assert.deepEqual(last('11:30:00'), [])
    assert.deepEqual(last('at noon'), ['at noon'])
  })

  it('keeps no duress as a state, which everybody in the house could read', () => {
    const { publish, take } = started()
    const fields = { type_id: 15, datetime: '2026-11-20 12:00:00' }
    publish([eventMessage({ event: event(fields), key: 'one' }, catalogue, source, 'UTC')])
    const sent = take()
    assert.deepEqual(topics(sent), ['keyholder/A1B2C3/event', 'keyholder/A1B2C3/trigger'])
    assert.ok(sent.every(({ retain }) => !retain))
  })

  it('tells that a panel that nobody has read is offline, as soon as the broker is there, or after three seconds', () => {
    const silent = start()
    silent.announcer.noteUnread(false)
    assert.deepEqual(silent.take(), [])
    silent.clock.advance(3000)
    assert.deepEqual(silent.take(), unread)
    const heard = start()
    heard.announcer.noteUnread(false)
    heard.hear({ ...availability('online'), retain: true })
    assert.deepEqual(heard.take(), unread)
    heard.announcer.noteUnread(true)
    heard.hear(availability('offline'))
    assert.deepEqual(heard.take(), [])
    heard.update()
    heard.clock.advance(10_000)
    assert.ok(topics(heard.take()).includes('keyholder/A1B2C3/availability'))
  })

  it('contradicts a kept online until the panel is read, also one that comes later', () => {
    const one = start()
    one.hear(online)
    one.announcer.noteUnread(false)
    one.clock.advance(10_000)
    one.take()
    one.hear({ ...availability('online'), retain: true })
    assert.deepEqual(one.take(), unread.slice(0, 1))
  })

  it('keeps the panel online over a redeploy and a move to this instance, unless it is not read for long', () => {
    const before = started()
    const again = start(setupOf(), before.memory)
    again.announcer.noteUnread(false)
    again.clock.advance(3000)
    assert.deepEqual(again.take(), [])
    again.announcer.noteUnread(true)
    assert.deepEqual(again.take(), unread)
    const other = start()
    other.hear(online)
    other.announcer.rest()
    other.announcer.noteUnread(false)
    other.clock.advance(10_000)
    assert.deepEqual(other.take(), [])
  })

  it('tells at once that it leaves the panel, and is online again only after the next read', () => {
    const before = started()
    before.announcer.leave()
    assert.deepEqual(before.take(), unread)
    before.announcer.stop()
    const again = start(setupOf(), before.memory)
    again.announcer.noteUnread(false)
    again.hear(online)
    again.clock.advance(10_000)
    assert.ok(
      !again.take().some(({ topic, payload }) => topic.endsWith('availability') && payload === 'online'),
    )
    again.update()
    assert.ok(
      again.take().some(({ topic, payload }) => topic === availability('').topic && payload === 'online'),
    )
  })

  it('tells that the panel is online after its states, so that no old one is shown as current', () => {
    const one = start()
    one.update()
    one.clock.advance(10_000)
    const states = topics(one.take()).filter(
      (topic) => topic.endsWith('state') || topic.endsWith('availability'),
    )
    assert.ok(states.length > 4)
    assert.deepEqual(states.slice(-2), [
      'keyholder/A1B2C3/devices/availability',
      'keyholder/A1B2C3/availability',
    ])
  })

  it('publishes with the next read that the panel is online, if somebody else has told the contrary', () => {
    const { hear, update, take } = started()
    hear(availability('offline'))
    assert.deepEqual(take(), [])
    update()
    assert.deepEqual(take(), [{ ...availability('online'), qos: 1, retain: true }])
  })

  it('names the node in the list of announcements, also after another one has announced the same', () => {
    const { memory } = started()
    assert.equal(memory.manifest?.keeper, 'here/bridge')
    const one = start()
    one.hear(kept({ ...memory.manifest, keeper: 'there/bridge' }))
    one.update()
    one.clock.advance(3000)
    const list = one.take().find(({ topic }) => topic === 'keyholder/A1B2C3/announced')
    assert.match(list?.payload ?? '', /^\{"keeper":"here\/bridge"/)
  })
})
