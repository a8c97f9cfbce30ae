import assert from 'node:assert/strict'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { isoTime, messageShape } from '../../../harness/fixtures/message-shape.ts'
import { assertShape, nullable, type Shape } from '../../../harness/fixtures/shape.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { minute, second } from '../../../src/duration.ts'
import { scriptedResponse, status } from '../../../src/simulator/faults/response-faults.ts'

const type = 'keyholder-readings'
/** Ids of devices of the first panel. */
const [frontDoor, livingRoom, cellar] = [828_778, 828_781, 828_789]
/** A node that sends the warnings of the door at every poll, to count polls. */
const beat = { type, emit: 'poll', devices: [frontDoor], kinds: ['warnings'] }

const deviceShape: Shape = {
  id: 'number',
  number: 'number',
  type: 'string',
  subtype: 'string',
  zoneType: 'string?',
  label: 'string',
  name: 'string',
  location: 'string',
  partitions: ['number'],
  enrollmentId: 'string?',
  bypassed: 'boolean?',
  soak: 'boolean?',
  preenroll: 'boolean',
  owner: nullable({ id: 'number', name: 'string' }),
  parent: nullable({ id: 'number', port: 'number?' }),
}
const undated: Shape = (value) => assert.equal(value, null)
const readingShape = { kind: 'string', previous: undated, unit: 'string?', measuredAtRaw: 'string' } as const
const rssiShape = { level: 'number?', channel: 'number?', repeater: 'number?', average: 'string?' } as const
const payloads: Record<string, Shape> = {
  rssi: 'string',
  temperature: 'number',
  brightness: 'number',
  open: 'boolean',
  warnings: ['string'],
  bypassed: 'boolean',
  soak: 'boolean',
  presence: 'boolean',
}
const datedKinds = ['rssi', 'temperature', 'brightness']

describe('The node keyholder-readings', () => {
  const harness = useFlowHarness()

  // @spec 4.6
  it('sends one message per device and kind, with exactly the fields of the contract', async () => {
    const { flow } = await harness.start({ nodes: { readings: { type } } })
    const messages = await flow.output('readings').take(96)
    assert.equal(new Set(messages.map(({ topic, device }) => topic + device.id)).size, 96)
    for (const message of messages) {
      const { kind } = message.reading
      assert.equal(message.topic, `Home/device/${message.device.label}/${kind}`)
      assert.deepEqual(message.reading.value, message.payload)
      const value = payloads[kind] as Shape
      const measuredAt = datedKinds.includes(kind) ? isoTime : undated
      const extras = kind === 'rssi' ? rssiShape : {}
      assertShape(message, {
        ...messageShape,
        payload: value,
        reading: { ...readingShape, value, measuredAt, ...extras },
        device: deviceShape,
      })
    }
    const zones = messages.filter(({ reading }) => reading.kind === 'open')
    assert.ok(zones.length === 12 && zones.every(({ device }) => device.type === 'ZONE'))
  })

  it('labels a device with its name, or else its location, or else its type and number', async () => {
    const { flow } = await harness.start({ nodes: { readings: { type, kinds: ['warnings'] } } })
    const labels = (await flow.output('readings').take(20)).map(({ device }) => device.label)
    // The faults of the panel itself are read after the devices.
    assert.deepEqual(
      [labels[1], labels[3], labels[15], labels[17], labels[19]],
      ['Front door', 'Bedroom window', 'Keys', 'REPEATER 1', 'CONTROL_PANEL 1'],
    )
  })

  const panelWarnings = 'Home/device/CONTROL_PANEL 1/warnings'
  const trouble = {
    status: 200,
    body: [{ device_type: 'CONTROL_PANEL', zone: null, partitions: [], trouble_type: 'AC_FAILURE' }],
  }

  for (const devicesEvery of ['', 300])
    it(`tells no warnings of the panel itself before its faults were read, and then at once, at an interval of "${devicesEvery}"`, async () => {
      const simulator = await harness.startSimulator()
      simulator.faults.start(scriptedResponse(trouble), { operation: 'troubles' })
      const flow = await harness.startAt(simulator, {
        panel: { stateEvery: '', eventsEvery: '', devicesEvery },
        nodes: { readings: { type, kinds: ['warnings'] } },
      })
      await processTime.pass(5 * second)
      const told = flow.output('readings').all.filter(({ topic }) => topic === panelWarnings)
      assert.deepEqual(
        told.map(({ payload, reading }) => [payload, reading.previous]),
        [[['AC_FAILURE'], null]],
      )
    })

  it('tells only a change of the warnings of the panel itself if it sends nothing after a start', async () => {
    const { simulator, flow } = await harness.start({
      panel: { stateEvery: '', eventsEvery: '', devicesEvery: '' },
      nodes: { readings: { type, kinds: ['warnings'], initial: false } },
    })
    await processTime.pass(minute)
    assert.deepEqual(flow.output('readings').all, [])
    simulator.faults.start(scriptedResponse(trouble), { operation: 'troubles' })
    // The list is read every ten minutes.
    await processTime.pass(20 * minute)
    assert.deepEqual(
      flow.output('readings').all.map(({ topic, payload, reading }) => [topic, payload, reading.previous]),
      [[panelWarnings, ['AC_FAILURE'], []]],
    )
  })

  it('tells the warnings of the panel itself also if the service has no feature set', async () => {
    const simulator = await harness.startSimulator()
    simulator.faults.start(status(404), { operation: 'feature_set' })
    const flow = await harness.startAt(simulator, { nodes: { readings: { type, kinds: ['warnings'] } } })
    const { payload } = await flow.output('readings').next(({ topic }) => topic === panelWarnings)
    assert.deepEqual(payload, [])
  })

  it('sends value, unit and date of a measurement, in UTC and as the service writes it', async () => {
    const node = { type, devices: [livingRoom] }
    const { home, flow } = await harness.start({
      account: { timeZone: 'Asia/Tokyo' },
      nodes: { readings: node },
    })
    const messages = await flow.output('readings').take(8)
    const reading = (kind: string) => messages.find((message) => message.reading.kind === kind)?.reading
    const { traits } = home.device(livingRoom)
    assert.deepEqual(reading('rssi'), {
      kind: 'rssi',
      value: 'strong',
      previous: null,
      unit: null,
      measuredAt: '2026-03-14T00:26:53.000Z',
      measuredAtRaw: '2026-03-14 09:26:53',
      level: 3,
      channel: traits.rssi?.channel,
      repeater: null,
      average: 'strong',
    })
    const { value, unit, measuredAt, measuredAtRaw } = reading('temperature')
    assert.deepEqual([value, unit, measuredAtRaw], [20.5, '°C', traits.meteo_info?.temperature?.date])
    assert.equal(measuredAt, new Date(`${measuredAtRaw}+09:00`).toISOString())
    assert.deepEqual([reading('brightness').value, reading('brightness').unit], [15, 'lx'])
    assert.equal(reading('warnings').unit, null)
    assert.deepEqual(messages[0]?.device, {
      id: livingRoom,
      number: 4,
      type: 'ZONE',
      subtype: 'FLAT_PIR_SMART',
      zoneType: 'INTERIOR',
      label: 'Living room',
      name: '',
      location: 'Living room',
      partitions: [1],
      enrollmentId: home.device(livingRoom).enrollment_id,
      bypassed: false,
      soak: false,
      preenroll: false,
      owner: null,
      parent: null,
    })
  })

  it('sends open while there is a warning OPENED, and [] without warnings', async () => {
    const { home, flow } = await harness.start({
      nodes: { readings: { type, devices: [frontDoor], kinds: ['open', 'warnings'] } },
    })
    const out = flow.output('readings')
    const next = async () => (await out.take(2)).map(({ topic, payload }) => [topic, payload])
    const [open, warnings] = ['Home/device/Front door/open', 'Home/device/Front door/warnings']
    const closed = [
      [open, false],
      [warnings, []],
    ]
    assert.deepEqual(await next(), closed)
    home.open(1)
    assert.deepEqual(await next(), [
      [open, true],
      [warnings, ['OPENED']],
    ])
    home.close(1)
    assert.deepEqual(await next(), closed)
    home.lowBattery(frontDoor)
    const battery = await out.next()
    assert.deepEqual([battery.payload, battery.reading.previous], [['LOW_BATTERY'], []])
  })

  // @spec 2.10
  it('sends bypassed and soak when they change', async () => {
    const kinds = ['bypassed', 'soak']
    const { home, flow } = await harness.start({ nodes: { readings: { type, devices: [frontDoor], kinds } } })
    const out = flow.output('readings')
    const told = ({ topic, payload, reading }: FlowMessage) => [topic, payload, reading.previous]
    assert.deepEqual((await out.take(2)).map(told), [
      ['Home/device/Front door/bypassed', false, null],
      ['Home/device/Front door/soak', false, null],
    ])
    home.bypass(1, true)
    assert.deepEqual(told(await out.next()), ['Home/device/Front door/bypassed', true, false])
    home.soak(1, true)
    assert.deepEqual(told(await out.next()), ['Home/device/Front door/soak', true, false])
  })

  // @spec 2.10, thin-device-lists
  it('sends presence when a device goes and when it appears, and answers with it for a device that is gone', async () => {
    const { home, flow } = await harness.start({
      nodes: { beat, readings: { type, devices: [cellar], kinds: ['presence'] } },
    })
    const out = flow.output('readings')
    const told = ({ topic, payload, reading }: FlowMessage) => [topic, payload, reading.previous]
    const topic = 'Home/device/Cellar/presence'
    assert.deepEqual(told(await out.next()), [topic, true, null])
    const device = home.removeDevice(cellar)
    assert.deepEqual(told(await out.next()), [topic, false, true])
    flow.input('readings')
    assert.deepEqual(told(await out.next()), [topic, false, true])
    home.addDevice(device)
    assert.deepEqual(told(await out.next()), [topic, true, false])
    await flow.output('beat').takeNew(3)
    assert.deepEqual(out.skip(), [])
  })

  // @spec 2.10
  it('sends presence and readings of a device that was entered only when it has joined the panel', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    const device = home.removeDevice(cellar)
    home.addDevice({ ...device, preenroll: true })
    const nodes = { beat, readings: { type, devices: [cellar], kinds: ['presence', 'temperature'] } }
    const flow = await harness.startAt(simulator, { nodes })
    await flow.output('beat').takeNew(3)
    assert.deepEqual(flow.output('readings').skip(), [])
    home.removeDevice(cellar)
    home.addDevice(device)
    const told = await flow.output('readings').take(2)
    assert.deepEqual(new Set(told.map(({ reading }) => reading.kind)), new Set(['presence', 'temperature']))
  })

  it('sends nothing for lists that lack devices once, or while the panel is offline', async () => {
    const { simulator, home, flow } = await harness.start({
      nodes: { beat, readings: { type, kinds: ['presence'] } },
    })
    await flow.output('readings').take(20)
    for (const body of [[], home.report().devices.slice(0, 5)]) {
      simulator.respondOnce('devices', { status: 200, body })
      await flow.output('beat').takeNew(3)
    }
    const device = home.removeDevice(cellar)
    home.goOffline()
    await flow.output('beat').next(({ panel }) => !panel.online)
    await flow.output('beat').takeNew(6)
    home.addDevice(device)
    home.goOnline()
    await flow.output('beat').next(({ panel }) => panel.online)
    await flow.output('beat').takeNew(3)
    assert.deepEqual(flow.output('readings').skip(), [])
  })

  it('sends changed values and dates with emit change, and everything with emit poll', async () => {
    const { home, flow } = await harness.start({
      nodes: { beat, readings: { type, devices: [livingRoom, cellar] } },
    })
    const out = flow.output('readings')
    await out.take(15)
    home.measure(livingRoom, 'temperature', 21)
    const warmer = await out.next()
    assert.deepEqual(
      [warmer.payload, warmer.reading.previous, warmer.reading.kind],
      [21, 20.5, 'temperature'],
    )
    home.measure(cellar, 'temperature', 12.5)
    const again = await out.next()
    assert.deepEqual([again.device.label, again.payload], ['Cellar', 12.5])
    await flow.output('beat').takeNew(3)
    assert.deepEqual(out.skip(), [])
  })

  // @spec offline-panel
  it('sends nothing when traits disappear or return with the panel, and keeps the labels', async () => {
    const { home, flow } = await harness.start({ nodes: { beat, readings: { type } } })
    await flow.output('readings').take(96)
    home.goOffline()
    await flow.output('beat').next(({ panel }) => !panel.online)
    const offline = await flow.output('beat').take(3)
    for (const { topic, stale } of offline)
      assert.deepEqual([topic, stale], ['Home/device/Front door/warnings', true])
    home.goOnline()
    await flow.output('beat').next(({ panel }) => panel.online)
    await flow.output('beat').take(3)
    assert.deepEqual(flow.output('readings').skip(), [])
    home.measure(cellar, 'temperature', 13)
    assert.equal((await flow.output('readings').next()).payload, 13)
  })

  it('passes on unknown device types, subtypes, warnings and signal strengths', async () => {
    const simulator = await harness.startSimulator()
    const device = {
      id: 7,
      enrollment_id: null,
      device_number: 3,
      device_type: 'ROBOT',
      zone_type: null,
      subtype: 'DOG_2027',
      partitions: [1],
      name: '',
      warnings: [{ type: 'HUNGRY', severity: 'TROUBLE', in_memory: false }],
      traits: {
        rssi: { current: 'superb', average: 'superb', channel: 1, repeater: null, last_updated: '' },
      },
    }
    simulator.respondOnce('devices', { status: 200, body: [device], times: Number.POSITIVE_INFINITY })
    const flow = await harness.startParts([createPart(simulator, { nodes: { readings: { type } } })])
    const [rssi, warnings] = await flow.output('readings').take(2)
    assert.deepEqual(
      [rssi?.topic, rssi?.payload, rssi?.reading.level],
      ['Home/device/ROBOT 3/rssi', 'superb', null],
    )
    assert.deepEqual([warnings?.payload, warnings?.device.subtype], [['HUNGRY'], 'DOG_2027'])
  })
})
