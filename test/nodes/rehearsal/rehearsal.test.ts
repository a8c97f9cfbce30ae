import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { minute } from '../../../src/duration.ts'

/** A rehearsal takes minutes: of the real panel, a poll every ten seconds is enough. */
const seldom = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }
const panel = { name: 'House', allowCommands: true, allowRehearsal: true, ...seldom }
const nodes = {
  incident: { type: 'keyholder-incident' },
  state: { type: 'keyholder-state', partitions: '1' },
  command: { type: 'keyholder-command', partition: 1 },
}
const faster = (scene: string) => ({ rehearse: { scene, faster: true } })

/** The simulated time is a hundred times as fast, so that a real command is done at once. */
const fast = { speed: 100 }

const isReport = ({ topic }: FlowMessage) => topic === 'House/rehearsal'

describe('A rehearsal', () => {
  const harness = useFlowHarness()

  /** Starts a flow with a rehearsal that has begun. */
  async function rehearse(scene: string) {
    const started = await harness.start({ panel, nodes }, fast)
    const { flow } = started
    await flow.output('state').next()
    flow.input('command', { ...faster(scene), _msgid: 'mine' })
    await flow.output('state').next(({ rehearsal }) => rehearsal === true)
    return started
  }

  it('of a burglary by the entry tells it in the order of a real one, marked', async () => {
    const { flow, home, simulator } = await rehearse('burglary-entry')
    const report = await flow.output('command').next(isReport)
    assert.deepEqual(
      [report.payload.ended, report.rehearsal, report._msgid, report.payload.title],
      ['scene', true, 'mine', 'Rehearsal: Burglary by the entry'],
    )
    const told = flow.output('incident').all
    assert.ok(told.every(({ rehearsal }) => rehearsal === true))
    for (const { payload } of told) {
      const title = payload.status === 'closed' ? 'Over: Burglary, Front door' : 'Burglary: Front door'
      assert.equal(payload.title, `Rehearsal: ${title}`)
    }
    assert.match(told[0]?.payload.summary, /^Rehearsal: \d+:\d\d\s[AP]M\. Not over\./)
    assert.deepEqual([told[0]?.payload.news, told.at(-1)?.payload.status], ['alarm', 'closed'])
    const states = flow.output('state').all.filter(({ rehearsal }) => rehearsal)
    assert.deepEqual(
      states.map(({ payload }) => payload).filter((value, at, all) => value !== all[at - 1]),
      ['DISARM', 'ARMING', 'AWAY', 'ENTRY_DELAY', 'ALARM', 'DISARM'],
    )
    assert.ok(flow.status('state').all.some(({ text }) => text === 'Rehearsal: ALARM: Front door'))
    assert.equal(flow.status('state').all.at(-1)?.text, 'disarmed, ready')
    assert.deepEqual([requestsTo(simulator, 'set_state'), home.partitions[0]?.state], [0, 'DISARM'])
    assert.ok(report.payload.sent >= told.length + states.length)
  })

  it('answers a marked command as the panel would, and sends it to nobody', async () => {
    const { flow, home, simulator } = await rehearse('low-battery')
    flow.input('command', { payload: 'AWAY', rehearsal: true })
    const answer = await flow.output('command').next()
    assert.deepEqual([answer.payload.state, answer.rehearsal], ['AWAY', true])
    assert.equal((await flow.output('state').next(({ payload }) => payload === 'ARMING')).rehearsal, true)
    flow.input('command', { payload: 'nonsense', rehearsal: true })
    const { error, rehearsal } = await flow.caught.next()
    assert.match(error.message, /Rehearsal: /)
    assert.equal(rehearsal, true)
    assert.deepEqual([requestsTo(simulator, 'set_state'), home.partitions[0]?.state], [0, 'DISARM'])
  })

  it('is ended by a command without the mark, which is carried out', async () => {
    const { flow, home } = await rehearse('low-battery')
    flow.input('command', { payload: 'HOME' })
    const [one, other] = await flow.output('command').take(2)
    const [answer, report] = isReport(one as FlowMessage) ? [other, one] : [one, other]
    assert.deepEqual([answer?.payload.state, answer?.rehearsal], ['HOME', undefined])
    assert.equal(report?.payload.ended, 'command')
    assert.equal(home.partitions[0]?.state, 'HOME')
  })

  it('is ended by whatever happens at the real panel, which is told at once', async () => {
    const { flow, home } = await rehearse('low-battery')
    home.panic(home.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? 0)
    const real = await flow.output('incident').next(({ rehearsal }) => rehearsal === undefined)
    assert.equal(real.payload.kind, 'panic')
    assert.equal((await flow.output('command').next(isReport)).payload.ended, 'event')
  })

  it('is ended by a deploy, and leaves no folder, nor brings one back later', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'keyholder-rehearsal-'))
    const before = process.env.TMPDIR
    // Other processes have demos and rehearsals in the usual folder.
    process.env.TMPDIR = temporary
    const { flow, part } = await rehearse('fire').finally(() => {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    })
    const folders = () => readdirSync(temporary).filter((name) => name.startsWith('keyholder-demo-'))
    assert.equal(folders().length, 1)
    await flow.deploy({ ...part, nodes: part.nodes.map((node) => ({ ...node, x: 1 })) })
    await until(() => folders().length === 0)
    await processTime.pass(2 * minute)
    assert.deepEqual(folders(), [])
    await rm(temporary, { recursive: true })
    flow.input('command', { payload: 'AWAY', rehearsal: true })
    assert.equal((await flow.caught.next()).error.code, 'INVALID_TRANSITION')
  })

  it('is one at a time, until somebody stops it', async () => {
    const { flow } = await rehearse('fire')
    flow.input('incident', faster('water'))
    assert.match((await flow.caught.next()).error.message, /another one runs/)
    flow.input('incident', { rehearse: false })
    assert.equal((await flow.output('command').next(isReport)).payload.ended, 'stopped')
  })

  it('never sends a marked command while none runs, whatever the mark has become on its way', async () => {
    const { flow, simulator } = await harness.start({ panel, nodes })
    for (const rehearsal of [true, 'true', 1, 'yes', '', null, {}]) {
      flow.input('command', { payload: 'AWAY', rehearsal })
      assert.match((await flow.caught.next()).error.message, /no rehearsal of this panel runs/)
    }
    assert.equal(requestsTo(simulator, 'set_state'), 0)
    for (const rehearsal of [false, undefined]) {
      flow.input('command', { payload: 'HOME', rehearsal })
      assert.equal((await flow.output('command').next()).payload.state, 'HOME')
    }
  })

  it('begins by a message only if the panel allows it, and only with a scene that there is', async () => {
    const { flow } = await harness.start({ panel: { ...panel, allowRehearsal: false }, nodes })
    flow.input('command', faster('fire'))
    assert.equal((await flow.caught.next()).error.code, 'COMMANDS_DISABLED')
    await harness.stopFlow()
    const other = await harness.start({ panel, nodes })
    other.flow.input('command', { rehearse: 'flood' })
    assert.match(
      (await other.flow.caught.next()).error.message,
      /unknown scene "flood". Use one of: burglary-entry/,
    )
  })

  it('begins by messages twelve times in an hour at most', async () => {
    const { flow } = await harness.start({ panel, nodes }, fast)
    for (let count = 0; count < 12; count += 1) {
      flow.input('command', faster('fire'))
      await flow.output('state').next(({ rehearsal }) => rehearsal === true)
      flow.input('command', { rehearse: false })
      await flow.output('command').next(isReport)
    }
    flow.input('command', faster('fire'))
    const { error } = await flow.caught.next()
    assert.match(error.message, /have started 12 in an hour. Start it in the dialog, or wait \d+ minutes/)
  })

  it('reaches Home Assistant only if the user says so, which gets the real states back', async () => {
    const bridge = { type: 'keyholder-home-assistant' }
    const started = await harness.start({ panel, nodes: { ...nodes, bridge } }, fast)
    const { flow, home } = started
    const topic = 'keyholder/A1B2C3/partition_1/state'
    const out = flow.output('bridge')
    const isTold = (state: string) => (message: FlowMessage) =>
      message.topic === topic && JSON.parse(message.payload).state === state
    await out.next(isTold('disarmed'))
    flow.input('command', faster('duress'))
    await flow.output('state').next(({ rehearsal, payload }) => rehearsal === true && payload === 'AWAY')
    flow.input('command', { rehearse: false })
    await flow.output('command').next(isReport)
    assert.ok(out.all.every(({ rehearsal }) => rehearsal === undefined))
    flow.input('command', { rehearse: { scene: 'duress', faster: true, homeAssistant: true } })
    assert.equal((await out.next(({ rehearsal }) => rehearsal === true)).rehearsal, true)
    await out.next(isTold('armed_away'))
    assert.equal(home.partitions[0]?.state, 'DISARM')
    flow.input('bridge', { topic: 'keyholder/A1B2C3/partition_1/set', payload: 'ARM_HOME' })
    assert.equal((await flow.output('command').next(isReport)).payload.ended, 'command')
    const real = await out.next(isTold('armed_home'))
    assert.equal(real.rehearsal, undefined)
    assert.equal(home.partitions[0]?.state, 'HOME')
  })

  it('leaves Home Assistant the last event of the real panel', async () => {
    const bridge = { type: 'keyholder-home-assistant' }
    const { flow, home } = await harness.start({ panel, nodes: { ...nodes, bridge } }, fast)
    const out = flow.output('bridge')
    const isLastEvent = ({ topic }: FlowMessage) => topic === 'keyholder/A1B2C3/last_event/state'
    flow.input('bridge', { topic: 'keyholder/bridge', payload: 'online', retain: false })
    // The first list of events is no news.
    await processTime.pass(minute)
    home.log({ type_id: 37, device_type: 'CONTROL_PANEL', zone: 0 })
    const real = await out.next(isLastEvent)
    flow.input('command', { rehearse: { scene: 'duress', faster: true, homeAssistant: true } })
    assert.equal((await out.next(isLastEvent)).rehearsal, true)
    flow.input('command', { rehearse: false })
    const again = await out.next((message) => isLastEvent(message) && message.rehearsal === undefined)
    assert.equal(again.payload, real.payload)
  })
})
