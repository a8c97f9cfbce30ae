import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const type = 'keyholder-readings'
const [livingRoom, hallway] = [828_781, 828_782]
/** What each of the two detectors reports. */
const kinds = 'rssi temperature brightness open warnings bypassed soak presence'.split(' ')
const beat = { type, emit: 'poll', devices: [livingRoom], kinds: ['open'] }

describe('The selection and the input of keyholder-readings', () => {
  const harness = useFlowHarness()

  it('sends only the selected devices and kinds', async () => {
    const { flow } = await harness.start({
      nodes: {
        device: { type, emit: 'poll', devices: [hallway] },
        kind: { type, emit: 'poll', kinds: ['temperature'] },
        both: { type, emit: 'poll', devices: `${hallway}`, kinds: 'brightness' },
      },
    })
    const device = await flow.output('device').take(2 * kinds.length)
    assert.deepEqual(
      device.map(({ topic }) => topic.replace('Home/device/Hallway/', '')),
      [1, 2].flatMap(() => kinds),
    )
    const labels = (await flow.output('kind').take(8)).map(({ device }) => device.label)
    assert.deepEqual(labels.slice(0, 4), ['Living room', 'Hallway', 'Landing', 'Cellar'])
    const both = await flow.output('both').take(2)
    assert.deepEqual(
      both.map(({ topic, payload }) => [topic, payload]),
      [1, 2].map(() => ['Home/device/Hallway/brightness', 2]),
    )
  })

  it('sends nothing at the start if initial is off, and then every change', async () => {
    const { home, flow } = await harness.start({ nodes: { beat, readings: { type, initial: false } } })
    await flow.output('beat').take(4)
    assert.deepEqual(flow.output('readings').all, [])
    home.measure(livingRoom, 'temperature', 22)
    const { payload, reading } = await flow.output('readings').next()
    assert.deepEqual([payload, reading.previous], [22, 20.5])
    assert.equal(flow.output('readings').all.length, 1)
  })

  it('suppresses changes below the configured delta, measured from the last value sent', async () => {
    const deltas = { temperatureDelta: 0.5, brightnessDelta: '5' }
    const { home, flow } = await harness.start({
      nodes: {
        all: { type, devices: [livingRoom], kinds: ['temperature', 'brightness'] },
        coarse: { type, devices: [livingRoom], kinds: ['brightness', 'temperature'], ...deltas },
      },
    })
    const [all, coarse] = [flow.output('all'), flow.output('coarse')]
    await Promise.all([all.take(2), coarse.take(2)])
    for (const value of [20.7, 20.9, 21, 20.6]) {
      home.measure(livingRoom, 'temperature', value)
      await all.next(({ payload }) => payload === value)
    }
    for (const value of [18, 11, 10]) {
      home.measure(livingRoom, 'brightness', value)
      await all.next(({ payload }) => payload === value)
    }
    await coarse.next(({ payload }) => payload === 10)
    assert.deepEqual(
      coarse.all.slice(2).map(({ payload, reading }) => [payload, reading.previous]),
      [
        [21, 20.9],
        [10, 11],
      ],
    )
  })

  it('reads at once for any input and answers with all readings, on the incoming message and its clones', async () => {
    const { simulator, home, flow } = await harness.start({
      panel: { devicesEvery: 600_000 },
      nodes: { readings: { type, devices: [livingRoom] } },
    })
    const count = kinds.length
    await flow.output('readings').take(count)
    home.measure(livingRoom, 'brightness', 99)
    const message = { _msgid: 'mine', payload: 'old', device: 'old', list: [1] }
    flow.input('readings', message)
    const answers = await flow.output('readings').take(count)
    assert.equal(answers[0], message)
    assert.deepEqual(answers[kinds.indexOf('brightness')]?.payload, 99)
    for (const { _msgid, list } of answers) assert.deepEqual([_msgid, list], ['mine', [1]])
    assert.equal(new Set(answers.map(({ list }) => list)).size, count)
    await flow.completed.next()
    assert.equal(requestsTo(simulator, 'devices'), 2)
    assert.equal(flow.output('readings').all.length, 2 * count)
  })

  it('passes an input to Catch with NOT_FOUND if the panel has none of the devices', async () => {
    const { flow } = await harness.start({ nodes: { readings: { type, devices: [1] } } })
    flow.input('readings', { count: 7 })
    const { error, count } = await flow.caught.next()
    assert.deepEqual([error.code, count], ['NOT_FOUND', 7])
    assert.match(
      error.message,
      /none of the devices.*do not have the selected readings\. Change "Devices" or "Readings"/,
    )
  })
})
