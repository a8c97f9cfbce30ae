import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { Recorder } from '../../harness/recorder.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { hour, minute, second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { PanelSettings } from '../../src/panel/panel-settings.ts'
import type { PartitionState } from '../../src/panel/state/partition-state.ts'
import { operations } from '../../src/service/operations.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { scriptedResponse } from '../../src/simulator/faults/response-faults.ts'

describe('The polls of a panel at its own pace', () => {
  let at: AccountHarness
  let panel: Panel
  let leaveState: () => void
  let states: Recorder<{ state: PartitionState | undefined; at: number }>
  afterEach(async () => {
    await panel.close()
    await at.close()
  })

  const home = () => at.simulator.world.panel(at.panel.serial)

  /** Opens the panel with subscribers of all parts, and waits until nothing has happened for a while. */
  async function begin(
    settings: Partial<PanelSettings> = {},
    account: RawSettings = {},
    missingOperations: readonly string[] = [],
  ) {
    at = await startAccountHarness({ maxLoggedRequests: 10_000, missingOperations }, account)
    const pace = { stateEvery: null, eventsEvery: null, devicesEvery: null }
    const usual = { id: 'p1', name: '', allowCommands: false, ...pace, ...at.panel, ...settings }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    panel = new Panel(usual, at.account, at.folder, reports)
    states = new Recorder()
    const condition = () => {}
    leaveState = panel.state.subscribe({
      condition,
      snapshot: ({ view }) =>
        states.add({ state: view.partitions.find(({ id }) => id === 1), at: at.clock.monotonic() }),
    })
    panel.events.subscribe({ condition, snapshot: () => {} })
    panel.devices.subscribe({ condition, snapshot: () => {} })
    await at.time.pass(5 * minute)
  }

  /** Returns the operations that were requested since a number of requests, with the seconds of each from a time. */
  const sentSince = (count: number, from: number) =>
    at.simulator.requests
      .slice(count)
      .map(({ path, at: time }) => [path.split('/').at(-1) ?? '', (time - from) / second] as const)

  const secondsOf = (sent: ReturnType<typeof sentSince>, operation: string) =>
    sent.filter(([what]) => what === operation).map(([, time]) => time)

  const firstWith = (value: string, from = 0) =>
    states.all.slice(from).find(({ state }) => state?.value === value)

  it('read the events before a change of the state is told, and then the devices', async () => {
    await begin()
    const [count, from] = [at.simulator.requests.length, at.clock.monotonic()]
    home().arm(1, 'HOME', { user: 'Anna', exitDelay: 0 })
    await at.time.pass(16 * second)
    const told = firstWith('HOME')
    assert.equal(told?.state?.changedBy?.name, 'Anna')
    const sent = sentSince(count, from)
    const [status = 0] = secondsOf(sent, 'status').filter((time) => time <= ((told?.at ?? 0) - from) / second)
    for (const operation of ['events', 'devices']) {
      const [read = Number.POSITIVE_INFINITY] = secondsOf(sent, operation).filter((time) => time >= status)
      assert.ok(read <= ((told?.at ?? 0) - from) / second + 2, `${operation} ${JSON.stringify(sent)}`)
    }
  })

  for (const [title, perform] of [
    ['an armed house', () => {}],
    ['an alarm', () => home().panic(home().plan.devices[0]?.id ?? 0)],
  ] as const)
    it(`read the events with each status of ${title} on a service without a list of alarms, and not between`, async () => {
      await begin({}, {}, ['alarms'])
      home().arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })
      await at.time.pass(3 * minute)
      perform()
      await at.time.pass(minute)
      const count = at.simulator.requests.length
      await at.time.pass(2 * minute)
      const sent = sentSince(count, 0)
      const [statuses, events] = ['status', 'events'].map((operation) => secondsOf(sent, operation).length)
      // The polls of the events themselves come every ten seconds at most.
      assert.ok((events ?? 0) <= (statuses ?? 0) + 13, `${events} lists of events, ${statuses} statuses`)
    })

  it('let an alarm wait for the events for a second at most', async () => {
    await begin()
    at.simulator.faults.start(latency(8 * second), { operation: 'events' })
    const from = at.simulator.requests.length
    home().panic(home().plan.devices[0]?.id ?? 0)
    await until('ALARM')
    const [alarms] = at.simulator.requests
      .slice(from)
      .filter(({ path }) => path.endsWith('/alarms'))
      .slice(-1)
    const delay = (firstWith('ALARM')?.at ?? 0) - (alarms?.at ?? 0)
    assert.ok(delay >= 900 && delay <= 1100, `${delay}`)
  })

  it('read state and devices after an alarm among the events', async () => {
    await begin()
    await until('DISARM')
    // The state that a poll of the events finds an alarm with is not read at the moment.
    const answered = at.simulator.requests.length
    await at.time.pass(4 * second)
    home().panic(home().plan.devices[0]?.id ?? 0)
    await panel.events.read(new AbortController().signal)
    await at.time.pass(2 * second)
    const sent = at.simulator.requests.slice(answered).map(({ path }) => path.split('/').at(-1))
    const afterEvents = sent.slice(sent.indexOf('events'))
    for (const operation of ['status', 'alarms', 'devices'])
      assert.ok(afterEvents.includes(operation), `${sent}`)
    assert.equal(states.all.at(-1)?.state?.value, 'ALARM')
  })

  it('trigger others once in ten seconds for each cause, and later what was put off', async () => {
    await begin()
    const [count, from] = [at.simulator.requests.length, at.clock.monotonic()]
    const read = () => panel.state.read(new AbortController().signal)
    for (let nth = 0; nth < 6; nth += 1) {
      if (nth % 2 === 0) home().open(1)
      else home().close(1)
      await read()
      await at.time.pass(second)
    }
    await at.time.pass(6 * second)
    for (const operation of ['events', 'devices']) {
      const times = secondsOf(sentSince(count, from), operation)
      assert.equal(times.length, 2, `${operation} ${times}`)
      assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 10, `${operation} ${times}`)
    }
  })

  it('are not answered with what somebody has asked before something triggered them', async () => {
    await begin()
    const { signal } = new AbortController()
    await panel.fetchOperation(operations.devices, { lane: 'urgent', maxAge: 0, signal })
    const [count, from] = [at.simulator.requests.length, at.clock.monotonic()]
    home().open(1)
    await panel.state.read(signal)
    await at.time.pass(5 * second)
    assert.equal(secondsOf(sentSince(count, from), 'devices').length, 1)
  })

  it('leave a part with a fixed interval as it is', async () => {
    await begin({ eventsEvery: minute, devicesEvery: 5 * minute })
    const [count, from] = [at.simulator.requests.length, at.clock.monotonic()]
    home().arm(1, 'HOME', { exitDelay: 0 })
    await at.time.pass(10 * minute)
    const sent = sentSince(count, from)
    assert.deepEqual([secondsOf(sent, 'events').length, secondsOf(sent, 'devices').length], [10, 2])
  })

  it('read for the devices a status that is older than its fixed interval', async () => {
    await begin({ stateEvery: 10 * second, eventsEvery: minute, devicesEvery: 20 * second })
    leaveState()
    const { length } = at.simulator.requests
    await at.time.pass(2 * minute)
    const sent = sentSince(length, 0)
    assert.deepEqual([secondsOf(sent, 'devices').length, secondsOf(sent, 'status').length], [6, 6])
  })

  it('are seldom while the panel has only its mobile network, and as before when its broadband is back', async () => {
    await begin({ eventsEvery: hour, devicesEvery: hour })
    const countIn = async (lines: { broadband: boolean; mobile: boolean }) => {
      home().setLines(lines)
      await at.time.pass(10 * minute)
      const { length } = at.simulator.requests
      await at.time.pass(20 * minute)
      return sentSince(length, 0).filter(([operation]) => operation === 'status').length
    }
    assert.ok((await countIn({ broadband: false, mobile: true })) <= 22)
    assert.ok((await countIn({ broadband: true, mobile: true })) > 70)
  })

  // @spec 2.7
  it('read the faults of the panel itself while somebody wants them, and none is over while it is offline', async () => {
    await begin({ stateEvery: 2 * minute, eventsEvery: hour, devicesEvery: 2 * minute })
    const entry = { device_type: 'CONTROL_PANEL', zone: null, partitions: [] }
    const body = [{ ...entry, trouble_type: 'LINE_FAILURE' }]
    const end = at.simulator.faults.start(scriptedResponse({ status: 200, body }), { operation: 'troubles' })
    const { faults } = panel.polls
    const leave = [faults.await(), faults.await()]
    const types = () => faults.latest?.present.map(({ type }) => type)
    await at.time.pass(11 * minute)
    assert.deepEqual(types(), ['LINE_FAILURE'])
    home().goOffline()
    await at.time.pass(5 * minute)
    end()
    await at.time.pass(40 * minute)
    assert.deepEqual(types(), ['LINE_FAILURE'])
    home().goOnline()
    await at.time.pass(40 * minute)
    assert.deepEqual(types(), [])
    for (const one of leave) one()
    const before = requestsTo(at.simulator, 'troubles')
    await at.time.pass(40 * minute)
    assert.deepEqual([requestsTo(at.simulator, 'troubles'), faults.latest], [before, undefined])
  })

  it('tell each listener of news that an event is new, until it leaves', async () => {
    await begin()
    const news: string[] = []
    const leave = panel.onNews((one) => news.push(one))
    home().arm(1, 'HOME', { exitDelay: 0 })
    await at.time.pass(minute)
    assert.deepEqual(news, ['event'])
    leave()
    home().disarm(1)
    await at.time.pass(minute)
    assert.deepEqual(news, ['event'])
  })

  it('never tell that the panel is armed after a disarming has ended its alarm', async () => {
    await begin()
    const house = home()
    house.arm(1, 'AWAY', { exitDelay: 0 })
    house.open(2)
    await until('ALARM')
    const { length } = states.all
    // The disarming comes between the answer of a status and that of the alarms.
    const disarming: Fault = {
      name: 'disarmed before the answer',
      answer: (getOriginal) => {
        house.disarm(1)
        return getOriginal()
      },
    }
    at.simulator.faults.start(disarming, { operation: 'alarms', times: 1 })
    await until('DISARM', length)
    const values = states.all.slice(length).map(({ state }) => state?.value)
    assert.deepEqual(
      [...new Set(values)].toSorted(),
      values.includes('ALARM') ? ['ALARM', 'DISARM'] : ['DISARM'],
    )
  })

  it('read the status once when a disarming has ended an alarm', async () => {
    await begin()
    home().arm(1, 'AWAY', { exitDelay: 0 })
    home().open(2)
    await until('ALARM')
    await at.time.pass(minute)
    const [count, from] = [at.simulator.requests.length, at.clock.monotonic()]
    const { length } = states.all
    home().disarm(1)
    await until('DISARM', length)
    const times = secondsOf(sentSince(count, from), 'status')
    assert.ok(
      times.every((time, nth) => nth === 0 || time - (times[nth - 1] ?? 0) > 1),
      `${times}`,
    )
  })

  it('are slower where the requests of the day are used too fast, and not if none are limited', async () => {
    const requests: number[] = []
    for (const requestsPerDay of [500, 0]) {
      await begin({}, { requestsPerDay })
      await at.time.pass(20 * minute)
      const before = at.simulator.requests.length
      await at.time.pass(10 * minute)
      requests.push(at.simulator.requests.length - before)
      assert.equal(at.account.rateLimiter.paceFactor > 2, requestsPerDay > 0)
      if (requestsPerDay > 0) {
        await panel.close()
        await at.close()
      }
    }
    const [slow = 0, usual = 0] = requests
    assert.ok(usual >= 80 && slow <= usual / 2, `${requests}`)
  })

  it('are few while the panel is offline, and are not during an alarm', async () => {
    await begin()
    home().goOffline()
    await at.time.pass(5 * minute)
    const before = at.simulator.requests.length
    await at.time.pass(60 * minute)
    const sent = at.simulator.requests.length - before
    assert.ok(sent <= 3_900 / 24, `${sent}`)
    home().goOnline()
  })

  /** Waits until a value was told, after some others. */
  async function until(value: string, from = 0) {
    for (let nth = 0; nth < 30 && !firstWith(value, from); nth += 1) await at.time.pass(second)
    assert.ok(firstWith(value, from), value)
  }
})
