import assert from 'node:assert/strict'
import { processClock } from '../../harness/clock/process-fake-clock.ts'
import { englishText } from '../../harness/fixtures/english-texts.ts'
import { createPart } from '../../harness/flow/flow-part.ts'
import { until, useFlowHarness } from '../../harness/flow.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'

const type = 'keyholder-command'
const allowed = { allowCommands: true, name: 'House' }

/**
 * The simulated time is a hundred times as fast, so that a panel has executed a command before the
 * first poll.
 */
const fast = { speed: 100 }

describe('The node keyholder-command', () => {
  const harness = useFlowHarness()

  it('sends the configured command for a message without payload, and answers with the same message', async () => {
    const nodes = { command: { type, partition: 1, state: 'HOME' } }
    const { simulator, home, flow } = await harness.start({ panel: allowed, nodes }, fast)
    flow.input('command', { count: 7, topic: 'mine', _msgid: 'mine' })
    const { payload, ...message } = await flow.output('command').next()
    const { tookMs, ...done } = payload
    assert.deepEqual(done, { ok: true, action: 'set_state', partition: 1, state: 'HOME', bypassed: [] })
    assert.ok(tookMs >= 1000 && Number.isInteger(tookMs))
    assert.deepEqual([message.topic, message.count, message._msgid], ['House/command', 7, 'mine'])
    assert.deepEqual(message.panel, { serial: home.serial, alias: 'Home', online: true })
    assert.ok(Date.parse(message.fetchedAt) > 0 && message.stale === false)
    assert.equal(home.partitions[0]?.state, 'HOME')
    assert.equal(requestsTo(simulator, 'set_state'), 1)
    await flow.completed.next()
  })

  it('arms past open zones if it is set to, and names them', async () => {
    const nodes = { command: { type, partition: 1, state: 'AWAY', openZones: 'bypass' } }
    const { home, flow } = await harness.start({ panel: allowed, nodes }, fast)
    home.open(2)
    flow.input('command', {})
    const { payload } = await flow.output('command').next()
    const bypassed = [{ zone: 2, name: 'Kitchen window' }]
    const done = { ok: true, action: 'set_state', partition: 1, state: 'AWAY', bypassed, tookMs: 0 }
    assert.deepEqual({ ...payload, tookMs: 0 }, done)
    await flow.status('command').next(({ text }) => /^armed without: Kitchen window, \d/.test(text))
    assert.equal(home.zone(2).traits.bypass?.enabled, true)
  })

  it('lets a panel in the mode force arm leave open zones out, which conditions list, and a door is an error', async () => {
    const nodes = {
      command: { type, partition: 1, state: 'AWAY', openZones: 'bypass' },
      conditions: { type: 'keyholder-conditions', bypassedAfter: 0 },
    }
    const { home, flow } = await harness.start({ panel: allowed, nodes })
    home.setOptions({ bypassMode: 'force-arm' })
    for (const zone of [1, 2]) home.open(zone)
    flow.input('command', {})
    const { payload } = await flow.output('command').next()
    const open = [
      { zone: 1, name: 'Front door' },
      { zone: 2, name: 'Kitchen window' },
    ]
    const done = { ok: true, action: 'set_state', partition: 1, state: 'AWAY', bypassed: [], open, tookMs: 0 }
    assert.deepEqual({ ...payload, tookMs: 0 }, done)
    await flow.status('command').next(({ text }) => /^armed, open: Front door, Kitchen…, \d/.test(text))
    const { error } = await flow.caught.next()
    assert.match(error.message, /House: The panel is armed without Front door \(zone 1\), .*\(DoorLeftOut\)$/)
    await flow
      .output('conditions')
      .next(({ payload }) => /Kitchen window.* bypassed/.test(JSON.stringify(payload)))
  })

  it('says once in the log that restoreBypass of an earlier version has no effect', async () => {
    const nodes = {
      saved: { type, restoreBypass: true },
      command: { type, partition: 1, restoreBypass: false },
    }
    const { flow } = await harness.start({ panel: allowed, nodes }, fast)
    const lines = () =>
      flow.logged.filter((line) => /restoreBypass has no effect/.test(JSON.stringify(line))).length
    assert.equal(lines(), 1)
    for (const payload of ['HOME', ...Array(2).fill({ state: 'HOME', restoreBypass: true })]) {
      flow.input('command', { payload })
      assert.equal((await flow.output('command').next()).payload.ok, true)
    }
    assert.equal(lines(), 2)
  })

  it('refuses to arm past open zones as it did before, unless the payload says otherwise', async () => {
    const nodes = { command: { type, partition: 1 } }
    const { home, simulator, flow } = await harness.start({ panel: allowed, nodes }, fast)
    home.open(2)
    flow.input('command', { payload: 'AWAY' })
    assert.match((await flow.caught.next()).error.message, /Close or bypass: Kitchen window/)
    assert.equal(requestsTo(simulator, 'set_bypass_zone'), 0)
    flow.input('command', { payload: { state: 'AWAY', openZones: 'bypass' } })
    assert.equal((await flow.output('command').next()).payload.bypassed.length, 1)
  })

  it('accepts the words of Home Assistant and the numbers of HomeKit', async () => {
    const { home, flow } = await harness.start(
      { panel: allowed, nodes: { command: { type, partition: 1 } } },
      fast,
    )
    flow.input('command', { payload: 'ARM_AWAY' })
    assert.equal((await flow.output('command').next()).payload.state, 'AWAY')
    flow.input('command', { payload: 3 })
    assert.equal((await flow.output('command').next()).payload.state, 'DISARM')
    assert.equal(home.partitions[0]?.state, 'DISARM')
  })

  it('answers with already, and sends nothing, if the panel has the state already', async () => {
    const nodes = { command: { type, partition: 1 } }
    const { simulator, flow } = await harness.start({ panel: allowed, nodes }, fast)
    for (const payload of ['armed_home', 'HOME']) flow.input('command', { payload })
    const answers = await flow.output('command').take(2)
    assert.deepEqual(
      answers.map(({ payload }) => ({ ...payload, tookMs: 0 })),
      [{}, { already: true }].map((already) => {
        return {
          ok: true,
          ...already,
          action: 'set_state',
          partition: 1,
          state: 'HOME',
          bypassed: [],
          tookMs: 0,
        }
      }),
    )
    assert.equal(requestsTo(simulator, 'set_state'), 1)
  })

  it('bypasses a zone for an object payload', async () => {
    const { home, flow } = await harness.start({ panel: allowed, nodes: { command: { type } } }, fast)
    flow.input('command', { payload: { action: 'bypass', zone: 2, enabled: true } })
    const { payload } = await flow.output('command').next()
    assert.deepEqual(
      { ...payload, tookMs: 0 },
      { ok: true, action: 'bypass', zone: 2, enabled: true, tookMs: 0 },
    )
    assert.equal(home.zone(2).traits.bypass?.enabled, true)
  })

  for (const allowCommands of [undefined, false, 'false', '', 'yes']) {
    it(`sends no requests while allowCommands is ${JSON.stringify(allowCommands) ?? 'missing'}, for any payload`, async () => {
      const { simulator, flow } = await harness.start({
        panel: { allowCommands },
        nodes: { command: { type } },
      })
      for (const payload of ['AWAY', true, { stat: 'AWAY' }]) {
        flow.input('command', { payload })
        const { error, payload: kept } = await flow.caught.next()
        assert.equal(error.code, 'COMMANDS_DISABLED')
        assert.deepEqual(kept, payload)
      }
      assert.equal(simulator.requests.length, 0)
    })
  }

  it('sends commands to a demo panel although they are not allowed', async () => {
    const simulator = await harness.startSimulator()
    const account = { source: 'demo', url: '' }
    const panel = { serial: '', allowCommands: false }
    const nodes = { command: { type } }
    const credentials = { email: '', password: '', userCode: '' }
    const flow = await harness.startParts([createPart(simulator, { account, credentials, panel, nodes })])
    try {
      flow.input('command', { payload: 'DISARM' })
      assert.equal((await flow.output('command').next()).payload.ok, true)
    } finally {
      // The demo runs until its account is deleted.
      await flow.deploy()
    }
  })

  it('sends commands if an environment variable sets allowCommands to true', async () => {
    const { flow } = await harness.start(
      { panel: { allowCommands: 'true' }, nodes: { command: { type } } },
      fast,
    )
    flow.input('command', { payload: { partition: 2, state: 'HOME' } })
    assert.equal((await flow.output('command').next()).payload.ok, true)
  })

  for (const [what, payload, code] of [
    ['the timestamp of an inject node', 1_763_740_000_000, 'BAD_SETTING'],
    ['a misspelled field', { stat: 'HOME' }, 'BAD_SETTING'],
    ['a word that cannot be requested', 'triggered', 'NOT_SETTABLE'],
    ['an unknown partition', { partition: 9 }, 'BAD_SETTING'],
  ] as const) {
    it(`sends nothing for ${what}, and continues`, async () => {
      const nodes = { command: { type, state: 'HOME', partition: 1 } }
      const { simulator, flow } = await harness.start({ panel: allowed, nodes }, fast)
      flow.input('command', { payload })
      const { error } = await flow.caught.next()
      assert.deepEqual([error.code, error.source.type], [code, type])
      assert.equal(requestsTo(simulator, 'set_state'), 0)
      flow.input('command')
      assert.equal((await flow.output('command').next()).payload.ok, true)
    })
  }

  it('names the open window if the panel is not ready', async () => {
    const { home, flow } = await harness.start({ panel: allowed, nodes: { command: { type } } })
    home.open(2)
    flow.input('command', { payload: 'AWAY' })
    const { error } = await flow.caught.next()
    assert.equal(error.code, 'NOT_SETTABLE')
    assert.match(error.message, /Close or bypass: Kitchen window \(zone 2\)\. \(NotReady\)$/)
  })

  it('shows the running command, its outcome and its error as status', async () => {
    const { home, flow } = await harness.start(
      { panel: allowed, nodes: { command: { type, partition: 1 } } },
      fast,
    )
    const time = () => new Date(processClock.wall()).toTimeString().slice(0, 5)
    const statusOf = (fill: string, shape: string, key: string) => {
      return { fill, shape, text: `${englishText(key)}, ${time()}` }
    }
    const status = flow.status('command')
    assert.deepEqual(await status.next(), { fill: 'grey', shape: 'ring', text: 'idle' })
    flow.input('command', { payload: 'AWAY' })
    await status.next(({ text }) => text === englishText('command.status.running.AWAY'))
    assert.deepEqual(await status.next(), statusOf('green', 'dot', 'command.status.done.AWAY'))
    home.openInstallerMenu()
    flow.input('command', { payload: 'AWAY' })
    await status.next(({ text }) => text === englishText('command.status.running.AWAY'))
    assert.deepEqual(await status.next(), statusOf('red', 'ring', 'account.status.error.INVALID_TRANSITION'))
  })

  it('keeps the result and its time as status, in color for a minute', async () => {
    const { home, flow } = await harness.start(
      { panel: allowed, nodes: { command: { type, partition: 1 } } },
      fast,
    )
    const status = flow.status('command')
    for (const [prepare, payload, fill, said] of [
      [() => {}, 'HOME', 'green', /^armed home, \d\d:\d\d$/],
      [() => {}, 'DISARM', 'green', /^disarmed, \d\d:\d\d$/],
      [() => home.open(2), 'AWAY', 'red', /^refused: Kitchen window, \d\d:\d\d$/],
    ] as const) {
      prepare()
      flow.input('command', { payload })
      const shown = await status.next((one) => one.fill === fill)
      assert.match(shown.text, said)
      const faded = await status.next(({ fill }) => fill === 'grey')
      assert.deepEqual([faded.shape, faded.text], ['ring', shown.text])
    }
  })

  it('logs the command that was not sent when the flow stopped, and closes at once', async () => {
    const { simulator, part, flow } = await harness.start({
      panel: allowed,
      nodes: { command: { type, partition: 1 } },
    })
    simulator.faults.start(latency(60_000), { operation: 'status' })
    flow.input('command', { payload: 'AWAY' })
    await until(() => requestsTo(simulator, 'status') === 1)
    await flow.deploy({ ...part, nodes: part.nodes.filter(({ type: of }) => of !== type) })
    await until(() =>
      /House: The command AWAY for partition 1 was not sent, because the flow was stopped/.test(
        JSON.stringify(flow.logged),
      ),
    )
    assert.deepEqual(flow.errors, [])
    assert.equal(requestsTo(simulator, 'set_state'), 0)
  })

  it('warns about a command that was in flight when the flow stopped', async () => {
    const { simulator, part, flow } = await harness.start({
      panel: allowed,
      nodes: { command: { type, partition: 1 } },
    })
    flow.input('command', { payload: 'AWAY' })
    await until(() => requestsTo(simulator, 'process_status') > 0)
    await flow.deploy({ ...part, nodes: part.nodes.filter(({ type: of }) => of !== type) })
    await until(() =>
      /House: The command AWAY for partition 1 was sent, but the flow was stopped/.test(
        JSON.stringify(flow.logged),
      ),
    )
    assert.deepEqual(flow.errors, [])
    assert.deepEqual(flow.output('command').all, [])
  })
})
