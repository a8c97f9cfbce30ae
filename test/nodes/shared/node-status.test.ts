import assert from 'node:assert/strict'
import type { Node, NodeAPI } from 'node-red'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import {
  installFakeClock,
  processClock,
  restoreSystemClock,
} from '../../../harness/clock/process-fake-clock.ts'
import { dotColor, NodeStatus } from '../../../nodes/shared/node-status.ts'
import { countdown } from '../../../nodes/state/behavior.ts'
import { minute, second } from '../../../src/duration.ts'
import type { RunningAlarm } from '../../../src/panel/incidents/running-alarms.ts'
import { Panel } from '../../../src/panel/panel.ts'
import type { SituationFacts } from '../../../src/panel/situation.ts'
import { KeyholderError } from '../../../src/service/error.ts'

describe('A node status', () => {
  let at: AccountHarness
  let panel: Panel
  let nodeStatus: NodeStatus
  let shown: (string | undefined)[]
  let published: unknown[][]
  /** The number of words that were looked up. */
  let words: number

  beforeEach(async () => {
    at = await startAccountHarness()
    const every = { allowCommands: false, stateEvery: 30_000, eventsEvery: 60_000, devicesEvery: 300_000 }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    panel = new Panel({ id: 'p1', name: '', ...at.panel, ...every }, at.account, at.folder, reports)
    shown = []
    published = []
    words = 0
    const node = { id: 'n1', status: ({ text }: { text?: string }) => shown.push(text), error: assert.fail }
    nodeStatus = new NodeStatus(
      {
        _: (key: string) => {
          words += 1
          return key.slice(key.lastIndexOf('.') + 1)
        },
        comms: { publish: (...message: unknown[]) => published.push(message) },
      } as unknown as NodeAPI,
      node as unknown as Node,
    )
  })

  afterEach(async () => {
    const left = { timers: at.clock.pending, requests: at.simulator.requests.length }
    await at.close()
    assert.deepEqual(left, { timers: 0, requests: 0 })
  })

  const count = (until: number) => {
    const text = (seconds: number) => ({ detail: seconds > 0 ? `in ${seconds} s` : 'now' })
    nodeStatus.showCondition(panel, { state: 'fine' }, 'status', { fine: countdown(until, text) })
  }

  it('shows the remaining seconds every second, and then stops', () => {
    count(at.clock.monotonic() + 2.4 * second)
    assert.deepEqual(shown, ['in 3 s'])
    at.clock.advance(400)
    assert.deepEqual(shown, ['in 3 s', 'in 2 s'])
    at.clock.advance(minute)
    assert.deepEqual(shown, ['in 3 s', 'in 2 s', 'in 1 s', 'now'])
  })

  it('looks up no words for what it shows already, however often and long it is asked for', () => {
    nodeStatus.showRunning()
    const once = words
    installFakeClock()
    for (let n = 0; n < 1000; n += 1) {
      processClock.stepWall(second)
      nodeStatus.showRunning()
    }
    restoreSystemClock()
    assert.equal(words, once)
    nodeStatus.showIdle()
    assert.ok(words > once)
    const show = nodeStatus.cover()
    nodeStatus.showIdle()
    show()
    assert.deepEqual(shown, ['running', 'idle', 'idle'])
  })

  it('shows the end at once if no time is left', () => {
    count(at.clock.monotonic())
    assert.deepEqual(shown, ['now'])
  })

  it('continues from the current second when it is shown again', () => {
    const until = at.clock.monotonic() + 3 * second
    count(until)
    at.clock.advance(1500)
    count(until)
    at.clock.advance(minute)
    assert.deepEqual(shown, ['in 3 s', 'in 2 s', 'in 1 s', 'now'])
  })

  it('shows nothing once its node is closed', () => {
    nodeStatus.stop()
    nodeStatus.showIdle()
    assert.deepEqual(shown, [])
    assert.deepEqual(
      published.map(([, parts]) => parts),
      [null],
    )
  })

  it('is replaced by any other status', () => {
    for (const show of [
      () => nodeStatus.showRunning(),
      () => nodeStatus.showIdle(),
      () => nodeStatus.showError(new KeyholderError('TIMEOUT', '')),
      () => nodeStatus.showCondition(panel, { state: 'stale' }, 'status'),
      () => nodeStatus.showCondition(panel, { state: 'standby', holder: 'pi-2' }, 'status'),
      () => nodeStatus.showCondition(panel, { state: 'fine' }, 'status', { fine: { detail: 'armed' } }),
    ]) {
      count(at.clock.monotonic() + minute)
      show()
      const last = shown.length
      assert.equal(at.clock.pending, 0)
      at.clock.advance(minute)
      assert.equal(shown.length, last)
    }
  })

  it('names the process that polls instead, as far as it is known', () => {
    nodeStatus.showCondition(panel, { state: 'standby', holder: undefined }, 'status')
    nodeStatus.showCondition(panel, { state: 'standby', holder: 'pi-2' }, 'status')
    assert.deepEqual(shown, ['standby', 'standby: pi-2'])
  })

  it('names why this process does not poll, after another one had to take over from it', () => {
    const standby = { state: 'standby', holder: 'pi-2' } as const
    nodeStatus.showCondition(panel, { ...standby, ownFailure: 'NETWORK' }, 'status')
    nodeStatus.showCondition(panel, standby, 'status')
    assert.deepEqual(shown, ['standby: NETWORK: pi-2', 'standby: pi-2'])
  })

  it('names why the polls of the other process fail', () => {
    const standby = { state: 'standby', holder: 'pi-2' } as const
    nodeStatus.showCondition(panel, { ...standby, holderFailure: 'SERVER_ERROR' }, 'status')
    assert.deepEqual(shown, ['standbyNoPolls: SERVER_ERROR: pi-2'])
  })

  it('waits until the next second also on a clock that goes on while it is read', () => {
    const { clock } = at
    const delays: number[] = []
    let readings = 0
    const moving = {
      ...clock,
      monotonic: () => clock.monotonic() + readings++ * 0.4,
      wall: () => clock.wall(),
      after: (delay: number) => {
        delays.push(delay)
        return () => {}
      },
    }
    const text = (seconds: number) => ({ detail: `${seconds}` })
    const account = { ...panel.account, clock: moving, licenseNotice: () => undefined }
    const shownPanel = { online: true, account } as unknown as Panel
    nodeStatus.showCondition(shownPanel, { state: 'fine' }, 'status', { fine: countdown(1000.2, text) })
    assert.ok(
      delays.every((delay) => delay >= 0),
      `${delays}`,
    )
  })

  it('ends with its node', () => {
    count(at.clock.monotonic() + minute)
    nodeStatus.stop()
    at.clock.advance(minute)
    assert.deepEqual(shown, ['in 60 s'])
  })

  it('also reaches the editor in parts, once for each text, until its node ends', () => {
    const text = { key: 'a:b.refused', detail: 'Front door' }
    for (let time = 0; time < 3; time += 1) nodeStatus.showIdle(text)
    nodeStatus.stop()
    assert.deepEqual(shown, ['refused: Front door'])
    assert.deepEqual(published, [
      ['keyholder/status/n1', { raw: 'refused: Front door', ...text }, true],
      ['keyholder/status/n1', null, false],
    ])
  })
})

const alarm: RunningAlarm = {
  kind: 'burglary',
  deviceType: 'ZONE',
  zone: 2,
  name: 'Kitchen window',
  partitions: [1],
  since: 0,
  eventKey: null,
}
const facts = (some: Partial<SituationFacts> = {}): SituationFacts => ({
  alarms: [],
  contactLostAt: null,
  delay: null,
  isUnready: false,
  ...some,
})

describe('The color of a dot', () => {
  for (const [title, color, some, isPending] of [
    ['is green if nothing is wrong', 'green', facts(), false],
    ['is red while an alarm runs', 'red', facts({ alarms: [alarm] }), false],
    [
      'is red while an alarm runs, whatever else is',
      'red',
      facts({ alarms: [alarm], delay: 'ARMING' }),
      true,
    ],
    ['is yellow during an entry delay', 'yellow', facts({ delay: 'ENTRY_DELAY' }), false],
    ['is yellow during an exit delay', 'yellow', facts({ delay: 'ARMING' }), false],
    ['is yellow if the node shows something that needs attention', 'yellow', facts(), true],
    ['is green for a node that shows no panel', 'green', undefined, false],
  ] as const)
    it(title, () => assert.equal(dotColor(some, isPending), color))
})
