import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { neverAborted } from '../../../harness/account.ts'
import { until } from '../../../harness/clock/until.ts'
import { type CommandEnd, CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Command } from '../../../src/panel/commands/command.ts'
import { queryable } from '../../../src/service/operations.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { hang, latency } from '../../../src/simulator/faults/network-faults.ts'
import { tokenRevoked, versionWithdrawn } from '../../../src/simulator/faults/service-faults.ts'

const away = setState('AWAY')
const home = setState('HOME')
const disarm = setState('DISARM')

/** A fault that makes every command stay in progress. */
const stuckProgress: Fault = {
  name: 'progress that stops at start',
  answer: (getOriginal) => {
    const reply = getOriginal()
    return Array.isArray(reply.body)
      ? { ...reply, body: reply.body.map((process) => ({ ...process, status: 'start' })) }
      : reply
  },
}

const outcome = ({ done, error }: CommandEnd | undefined = {}) =>
  done ? 'done' : (error?.reason ?? error?.code)

/** Commands an arming for which the session has expired, and waits until the panel is opened again, for a second. */
async function expire(at: CommandedPanel, signal = neverAborted()): Promise<CommandEnd> {
  at.simulator.respondOnce('set_state', { status: 440 })
  at.simulator.faults.start(latency(1000), { operation: 'panel/login', times: 1 })
  const ending = at.command(away, signal)
  await until(() => requestsTo(at.simulator, 'panel/login') === 2)
  return ending
}

describe('Several commands to one panel', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  /** Runs the commands one after the other, all while the first one is in progress. */
  async function command(...commands: Command[]): Promise<CommandEnd[]> {
    const endings: CommandEnd[] = []
    for (const one of commands) {
      endings.push(at.command(one))
      await at.settle()
    }
    return endings
  }

  it('are sent one after the other, each after the previous one has ended', async () => {
    const endings = await command(home, away, setState('HOME', 2))
    assert.equal(at.sent.length, 1)
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['done', 'done', 'done'])
    assert.deepEqual(
      endings.map((ending) => ending.at),
      [2000, 4000, 6000],
    )
    assert.deepEqual(
      endings.map(({ done }) => done?.view.tookMs),
      [2000, 4000, 6000],
    )
    assert.deepEqual(at.states, ['AWAY', 'HOME', 'DISARM'])
  })

  it('are checked when they are next in the command queue, not when they arrive', async () => {
    const endings = await command(home, home)
    await at.waitFor(...endings)
    assert.deepEqual(
      endings.map(({ done }) => done?.view.already),
      [false, true],
    )
    assert.equal(at.sent.length, 1)
  })

  it('are sent after any disarm, the newest disarm first', async () => {
    for (const partition of [2, 3]) at.simulated.arm(partition, 'AWAY')
    const siren: Command = { action: 'siren_on' }
    const endings = await command(home, siren, setState('DISARM', 2), setState('DISARM', 3))
    await at.waitFor(...endings)
    const inTime = [...endings].sort((one, other) => (one.at ?? 0) - (other.at ?? 0))
    assert.deepEqual(
      inTime.map((ending) => endings.indexOf(ending)),
      [0, 3, 2, 1],
    )
  })

  for (const [what, earlier, later] of [
    ['the same partition', away, disarm],
    ['the whole panel', away, setState('DISARM', -1)],
    ['a part of the whole panel', setState('AWAY', -1), disarm],
  ] as const) {
    it(`are canceled if they arm and a disarm of ${what} came later`, async () => {
      at.simulated.arm(1, 'HOME')
      const endings = await command(setState('HOME', 3), earlier, later)
      assert.equal(outcome(endings[1]), 'Replaced')
      assert.equal(endings[1]?.error?.code, 'COMMAND_FAILED')
      await at.waitFor(...endings)
      assert.deepEqual(endings.map(outcome), ['done', 'Replaced', 'done'])
      assert.equal(at.sent.length, 2)
    })
  }

  /** Sends commands whose fields are read later; returns their ends, and functions that give them their fields. */
  const slow = (...commands: readonly Command[]) => {
    const read: (() => void)[] = []
    const endings = commands.map((one) =>
      at.command(new Promise<Command>((resolve) => read.push(() => resolve(one)))),
    )
    return { endings, read }
  }

  it('are canceled by a disarm while their fields are still read, if it is for the same partition', async () => {
    const { endings, read } = slow(away, setState('HOME', 2))
    endings.push(at.command(disarm))
    for (const goOn of read) goOn()
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['Replaced', 'done', 'done'])
    assert.deepEqual(at.states, ['DISARM', 'HOME', 'DISARM'])
  })

  it('are sent after a disarm that came before them, however long the fields of both are read', async () => {
    const { endings, read } = slow(disarm, home)
    for (const goOn of read) {
      goOn()
      await at.settle()
    }
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['done', 'done'])
    assert.equal(at.states[0], 'HOME')
  })

  it('are sent if the disarm is for another partition or came before', async () => {
    const endings = await command(setState('HOME', 3), disarm, home, setState('DISARM', 2))
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['done', 'done', 'done', 'done'])
    assert.deepEqual(at.states, ['HOME', 'DISARM', 'HOME'])
  })

  it('are sent after a disarm of the whole panel if they do not arm', async () => {
    const endings = await command(
      setState('HOME', 3),
      { action: 'siren_on' },
      { action: 'bypass', zone: 2, enabled: true },
      setState('DISARM', -1),
    )
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['done', 'done', 'done', 'done'])
  })

  it('all succeed if they disarm, of which the one for what is disarmed by then says so', async () => {
    for (const partition of [1, 2]) at.simulated.arm(partition, 'AWAY')
    const endings = await command(setState('HOME', 3), disarm, setState('DISARM', 2), disarm)
    await at.waitFor(...endings)
    assert.deepEqual(
      endings.map(({ done }) => done?.view.already),
      [false, true, false, false],
    )
    assert.equal(at.sent.length, 4)
  })

  it('are canceled by a disarm while an arming still reads the state', async () => {
    at.simulated.arm(1, 'HOME')
    at.simulator.faults.start(latency(3000), { operation: 'status', times: 1 })
    const arming = at.command(away)
    const { requests } = at.simulator
    await until(() => requests.some(({ path }) => path.endsWith('/status')))
    const disarming = at.command(disarm)
    await until(() => arming.at !== undefined)
    assert.deepEqual([outcome(arming), arming.at], ['Replaced', 0])
    await at.waitFor(disarming)
    assert.equal(outcome(disarming), 'done')
    assert.equal(at.sent.length, 1)
  })

  it('are canceled by a disarm while an arming waits to be sent again after an expiry', async () => {
    at.simulated.arm(1, 'HOME')
    const arming = await expire(at)
    const disarming = at.command(disarm)
    await at.waitFor(arming, disarming)
    assert.deepEqual([outcome(arming), outcome(disarming)], ['Replaced', 'done'])
    assert.deepEqual([at.sent.length, at.states[0]], [2, 'DISARM'])
  })

  it('let a disarm start after five seconds, while the earlier command is still followed', async () => {
    at.simulator.faults.start(stuckProgress, { operation: 'process_status', times: 4 })
    const endings = await command(away, disarm)
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['done', 'done'])
    assert.equal(endings[1]?.at, 7000)
    assert.deepEqual(at.states, ['DISARM', 'DISARM', 'DISARM'])
  })

  it('let each disarm start five seconds after the previous one, however long those take', async () => {
    for (const partition of [1, 2]) at.simulated.arm(partition, 'HOME')
    at.simulator.faults.start(stuckProgress, { operation: 'process_status' })
    await command(setState('AWAY', 3), disarm, setState('DISARM', 2))
    await at.pass(5000)
    assert.equal(at.sent.length, 2)
    await at.pass(4000)
    assert.equal(at.sent.length, 2)
    await at.pass(1000)
    assert.equal(at.sent.length, 3)
  })

  for (const [who, openAccount] of [
    ['two config nodes use the same panel', () => undefined],
    [
      'they come through two account nodes of the same user',
      () => at.harness.openAccount({ requestsPerMinute: 600 }),
    ],
  ] as const) {
    it(`share one command queue if ${who}`, async () => {
      at.simulated.arm(1, 'HOME')
      const other = at.openPanel({ id: 'p2' }, openAccount())
      const endings = await command(setState('HOME', 3), away)
      endings.push(at.command(disarm, neverAborted(), other))
      await at.waitFor(...endings)
      assert.deepEqual(endings.map(outcome), ['done', 'Replaced', 'done'])
      assert.equal(at.sent.length, 2)
      assert.deepEqual(at.states, ['DISARM', 'DISARM', 'HOME'])
    })
  }

  it('let a disarm start if the answer to an earlier arming was lost', async () => {
    at.simulator.faults.start(hang(), { operation: 'set_state', times: 1 })
    const endings = await command(away, disarm)
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['Unknown', 'done'])
    assert.ok((endings[1]?.at ?? 0) < 8000)
    assert.equal(at.sent.length, 2)
  })

  it('continue after one of them fails', async () => {
    const endings = await command(setState('HOME', 9), setState('AWAY', 9), home)
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['BAD_SETTING', 'BAD_SETTING', 'done'])
  })
})

describe('With the default cap', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open({}, {}, { requestsPerMinute: 30 })
  })
  afterEach(() => at.close())

  it('four commands within ten seconds are each sent at once while state and events are polled', async () => {
    const subscriber = { snapshot: () => {}, condition: () => {} }
    at.panel.state.subscribe(subscriber)
    at.panel.events.subscribe(subscriber)
    await at.pass(120_000)
    const endings: CommandEnd[] = []
    for (const command of [home, disarm, away, disarm]) {
      endings.push(at.command(command))
      await at.settle()
      assert.equal(at.sent.length, endings.length)
      await at.pass(2500)
    }
    await at.waitFor(...endings)
    assert.deepEqual(endings.map(outcome), ['done', 'done', 'done', 'done'])
  })
})

describe('A disarm with the default cap', () => {
  let at: CommandedPanel
  let flow: AbortController
  beforeEach(async () => {
    at = await CommandedPanel.open({}, {}, { requestsPerMinute: 30 })
    flow = new AbortController()
    setMaxListeners(0, flow.signal)
    const subscriber = { snapshot: () => {}, condition: () => {} }
    at.panel.state.subscribe(subscriber)
    at.panel.events.subscribe(subscriber)
  })
  afterEach(() => at.close())

  /** Reads at an interval, like a flow with an inject node. */
  function readEvery(interval: number, read: (signal: AbortSignal) => Promise<unknown>): void {
    at.harness.clock.after(interval, () => {
      if (flow.signal.aborted) return
      void read(flow.signal).catch(() => {})
      readEvery(interval, read)
    })
  }

  /** Returns the milliseconds from a disarm to its request. */
  async function timeToSend(): Promise<number> {
    const { clock } = at.harness
    at.simulated.arm(1, 'HOME')
    const from = clock.monotonic()
    const before = at.sent.length
    const ending = at.command(disarm)
    await at.settle()
    while (at.sent.length === before) await at.pass(Math.min(clock.untilNext ?? 100, 100))
    const took = clock.monotonic() - from
    await at.waitFor(ending)
    assert.equal(outcome(ending), 'done')
    return took
  }

  const locales = ['en_US', 'de_DE', 'fr_FR', 'es_ES', 'it_IT']
  const catalogue = (locale: string) => (signal: AbortSignal) =>
    at.panel.fetchOperation(queryable.event_profiles, { lane: 'urgent', maxAge: 0, signal }, locale)

  for (const [flows, start] of [
    ['the state every 5 seconds', () => readEvery(5000, (signal) => at.panel.state.read(signal))],
    ['the state every second', () => readEvery(1000, (signal) => at.panel.state.read(signal))],
    [
      'five operations every 2 seconds',
      () => {
        for (const locale of locales) readEvery(2000, catalogue(locale))
      },
    ],
  ] as const) {
    it(`is sent within a second while a flow reads ${flows}`, async () => {
      start()
      const times: number[] = []
      for (const pause of [60_000, 73_000, 90_500, 61_700]) {
        await at.pass(pause)
        times.push(await timeToSend())
      }
      flow.abort()
      assert.ok(
        times.every((took) => took <= 1000),
        `${times}`,
      )
    })
  }

  for (const [what, fault, scope] of [
    ['the session has expired', tokenRevoked('user'), { times: 1 }],
    ['the service has moved to another version', versionWithdrawn('14.0'), {}],
  ] as const) {
    it(`is sent within a second while a flow reads every 2 seconds and ${what}`, async () => {
      for (const locale of locales) readEvery(2000, catalogue(locale))
      await at.pass(90_000)
      at.simulator.faults.start(fault, scope)
      const took = await timeToSend()
      flow.abort()
      assert.ok(took <= 1000, `${took}`)
    })
  }
})

describe('When the flow stops, a command', () => {
  let at: CommandedPanel
  let flow: AbortController
  beforeEach(async () => {
    at = await CommandedPanel.open()
    flow = new AbortController()
  })
  afterEach(() => at.close())

  async function stop(ending: CommandEnd): Promise<CommandEnd['error']> {
    flow.abort()
    await at.settle()
    assert.equal(ending.error?.code, 'CLOSED')
    return ending.error
  }

  it('that is queued is not sent, and its error says so', async () => {
    const running = at.command(setState('HOME', 2))
    await at.settle()
    const error = await stop(at.command(away, flow.signal))
    assert.equal(
      error?.message,
      'House: The command AWAY for partition 1 was not sent, because the flow was stopped. If you still want it, send it again.',
    )
    assert.equal(error?.reason, undefined)
    await at.waitFor(running)
    assert.deepEqual(at.states, ['DISARM', 'HOME', 'DISARM'])
    assert.ok((await at.run(home)).done)
  })

  it('that arrives afterwards is not sent, without any request', async () => {
    const requestCount = at.simulator.requests.length
    flow.abort()
    const error = await stop(at.command(away, flow.signal))
    assert.equal(
      error?.message,
      'House: The command AWAY for partition 1 was not sent, because the flow was stopped. If you still want it, send it again.',
    )
    assert.equal(at.simulator.requests.length, requestCount)
  })

  it('that would be sent again after an expiry is not sent again', async () => {
    const ending = await expire(at, flow.signal)
    flow.abort()
    await at.waitFor(ending)
    assert.equal(ending.error?.code, 'CLOSED')
    assert.match(ending.error.message, /was not sent/)
    assert.deepEqual(at.sent, ['set_state'])
  })

  it('that is being checked is not sent', async () => {
    at.simulator.faults.start(latency(100_000), { operation: 'status', times: 1 })
    const ending = at.command(away, flow.signal)
    await until(() => at.simulator.requests.some(({ path }) => path.endsWith('/status')))
    assert.match((await stop(ending))?.message ?? '', /was not sent/)
    assert.deepEqual(at.sent, [])
  })

  it('that is in flight is executed, and its outcome is reported as unknown', async () => {
    at.simulator.faults.start(latency(50), { operation: 'set_state', times: 1 })
    const ending = at.command(away, flow.signal)
    await until(() => at.sent.length > 0)
    flow.abort()
    await until(() => ending.at !== undefined)
    assert.deepEqual([ending.error?.code, ending.error?.reason], ['CLOSED', 'Unknown'])
    assert.match(
      ending.error?.message ?? '',
      /was sent, but the flow was stopped before the result was known/,
    )
    await at.pass(10_000)
    assert.deepEqual(at.states, ['AWAY', 'DISARM', 'DISARM'])
  })

  it('that is in flight is not reported as canceled by a later disarm', async () => {
    at.simulator.faults.start(latency(50), { operation: 'set_state', times: 1 })
    const ending = at.command(away, flow.signal)
    await until(() => at.sent.length > 0)
    const disarming = at.command(disarm)
    flow.abort()
    await until(() => ending.at !== undefined)
    assert.deepEqual([ending.error?.code, ending.error?.reason], ['CLOSED', 'Unknown'])
    assert.match(
      ending.error?.message ?? '',
      /was sent, but the flow was stopped before the result was known/,
    )
    await at.waitFor(disarming)
  })

  it('that is in progress is executed, without further requests', async () => {
    const ending = at.command(away, flow.signal)
    await at.pass(1500)
    assert.equal((await stop(ending))?.reason, 'Unknown')
    const requestCount = at.simulator.requests.length
    await at.pass(60_000)
    assert.equal(at.simulator.requests.length, requestCount)
    assert.deepEqual(at.states, ['AWAY', 'DISARM', 'DISARM'])
    assert.equal(at.sent.length, 1)
  })
})
