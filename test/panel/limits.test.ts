import assert from 'node:assert/strict'
import { neverAborted } from '../../harness/account.ts'
import { info, stateSet } from '../../harness/fixtures/samples.ts'
import { CommandedPanel, setState } from '../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute } from '../../src/duration.ts'
import type { Command } from '../../src/panel/commands/command.ts'
import { readPartitionChoices } from '../../src/panel/editor-choices.ts'
import { hang } from '../../src/simulator/faults/network-faults.ts'

describe('The feature set of a panel', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open({ maxLoggedRequests: 10_000 })
  })
  afterEach(() => at.close())

  const says = (body: object) => at.simulator.respondOnce('feature_set', { status: 200, body })
  const readState = () => at.harness.waitFor(at.panel.state.read(neverAborted()))
  const bypass = (zone: number, enabled = true): Command => ({ action: 'bypass', zone, enabled })
  const panelInfoSays = (fields: object) => {
    const body = { ...info({ id: 1, name: 'House' }), state_sets: { all: stateSet }, ...fields }
    at.simulator.respondOnce('panel_info', { status: 200, body })
  }

  // @spec 2.7, 4.5
  it('is requested at most once an hour, and again within an hour and a half, for polls, commands and reads by hand together', async () => {
    await readState()
    await at.run(setState('HOME'))
    await at.run(bypass(2))
    await readState()
    assert.equal(requestsTo(at.simulator, 'feature_set'), 1)
    at.harness.clock.advance(59 * minute)
    await readState()
    assert.equal(requestsTo(at.simulator, 'feature_set'), 1)
    at.harness.clock.advance(32 * minute)
    await readState()
    assert.equal(requestsTo(at.simulator, 'feature_set'), 2)
  })

  it('stops nothing if it cannot be read', async () => {
    at.simulator.faults.start(hang(), { operation: 'feature_set' })
    const { view } = await readState()
    assert.ok((view.partitions[0]?.settable.length ?? 0) > 0)
    const { error } = await at.run(setState('HOME'))
    assert.equal(error, undefined)
  })

  it('is not waited for by a disarm', async () => {
    at.simulator.faults.start(hang(), { operation: 'feature_set' })
    at.simulated.arm(1, 'HOME', { exitDelay: 0 })
    const { error } = await at.run(setState('DISARM'))
    assert.equal(error, undefined)
    assert.equal(requestsTo(at.simulator, 'feature_set'), 0)
  })

  // @spec 2.7
  it('says that there is no list of devices, which is then not requested', async () => {
    says({ devices: { is_enabled: false } })
    await readState()
    const read = at.harness.waitFor(at.panel.devices.read(neverAborted()))
    await assert.rejects(read, { code: 'NOT_FOUND', message: /does not offer a list of devices/ })
    assert.equal(requestsTo(at.simulator, 'devices'), 0)
  })

  // @spec 2.7
  it('holds nothing back with a member that is null or absent', async () => {
    says({ state: null, faults: { has_alarms: null }, events: {}, partitions: { max_partitions: null } })
    const { view } = await readState()
    assert.ok((view.partitions[0]?.settable.length ?? 0) > 0)
    assert.equal(requestsTo(at.simulator, 'alarms'), 1)
    for (const command of [setState('HOME'), { action: 'siren_on' } as const])
      assert.equal((await at.run(command)).error, undefined)
  })

  for (const [what, features, command, code, sentence] of [
    ['arming', { state: { can_set: false } }, setState('AWAY'), 'NOT_SETTABLE', /armed and disarmed only at/],
    [
      'arming at all',
      { state: { is_enabled: false } },
      setState('AWAY'),
      'NOT_SETTABLE',
      /only at the panel/,
    ],
    ['the siren', { sirens: { can_enable: false } }, { action: 'siren_on' }, 'NOT_SETTABLE', /turned on/],
    ['silence', { sirens: { can_disable: false } }, { action: 'siren_off' }, 'NOT_SETTABLE', /turned off/],
    [
      'a partition beyond the maximum',
      { partitions: { max_partitions: 1 } },
      setState('HOME', 2),
      'BAD_SETTING',
      /1 partitions at most/,
    ],
    [
      'a bypass of a subtype that has no zone type',
      { devices: { devices: [{ name: 'CONTACT', is_zone_type_applicable: false }] } },
      bypass(2),
      'NOT_SETTABLE',
      /Kitchen window/,
    ],
  ] as const) {
    // @spec 2.7, 2.8, 8.2
    it(`rules out ${what}: the command is refused and not sent`, async () => {
      says(features)
      const { error } = await at.run(command as Command)
      assert.equal(error?.code, code, error?.message)
      assert.match(error?.message ?? '', sentence)
      assert.deepEqual(at.sent, [])
    })
  }

  // @spec 2.7
  it('rules out the state: it is inferred from the events, and not requested once the feature set is known', async () => {
    says({ state: { can_get: false } })
    at.simulated.arm(1, 'HOME', { exitDelay: 0 })
    const { view } = await readState()
    assert.deepEqual([view.partitions[0]?.value, view.partitions[0]?.inferred], ['HOME', true])
    await readState()
    assert.equal(requestsTo(at.simulator, 'status'), 1)
  })

  // @spec 2.7
  it('rules out alarms: they are inferred from the events, and not requested once the feature set is known', async () => {
    says({ faults: { has_alarms: false } })
    at.simulated.arm(1, 'HOME', { exitDelay: 0 })
    at.simulated.open(2)
    const { view } = await readState()
    assert.equal(view.partitions[0]?.value, 'ALARM')
    assert.equal((await readState()).view.partitions[0]?.value, 'ALARM')
    assert.equal(requestsTo(at.simulator, 'alarms'), 1)
  })

  // @spec 2.7
  it('rules out events: they are not requested once it is known, and the poll says why', async () => {
    says({ events: { is_enabled: false } })
    const read = () => at.harness.waitFor(at.panel.events.read(neverAborted()))
    await read()
    await assert.rejects(read, { code: 'NOT_FOUND', message: /does not offer a list of events/ })
    assert.equal(requestsTo(at.simulator, 'events'), 1)
  })

  // @spec 2.7
  it('leaves no state to request if states cannot be set', async () => {
    says({ state: { can_set: false } })
    const { view } = await readState()
    assert.deepEqual(
      view.partitions.map(({ settable }) => settable),
      [[], [], []],
    )
  })

  // @spec 2.7, 8.2
  it('limits the choices of partitions and of their states', async () => {
    says({ state: { can_set: false }, partitions: { max_partitions: 2 } })
    const { account, panel } = at.harness
    const choices = await at.harness.waitFor(readPartitionChoices(account, panel, neverAborted()))
    assert.deepEqual(
      choices.map(({ id, states }) => [id, states]),
      [-1, 1, 2].map((id) => [id, []]),
    )
  })

  // @spec 2.5, bypass-mode
  it('is not the only limit: no zone is bypassed in another bypass mode, but each bypass can be removed', async () => {
    at.simulated.bypass(2, true)
    panelInfoSays({ bypass_mode: 'no_bypass' })
    const { error } = await at.run(bypass(3))
    assert.equal(error?.code, 'NOT_SETTABLE')
    assert.match(error?.message ?? '', /bypass mode "manual_bypass", and that of this panel is "no_bypass"/)
    assert.deepEqual(at.sent, [])
    assert.equal((await at.run(bypass(2, false))).error, undefined)
    assert.deepEqual(at.sent, ['set_bypass_zone'])
  })

  // @spec bypass-mode
  it('is not the only limit: a panel that names no bypass mode may bypass zones', async () => {
    panelInfoSays({ bypass_mode: null })
    assert.equal((await at.run(bypass(3))).error, undefined)
  })
})

describe('A user code', () => {
  let at: CommandedPanel
  afterEach(() => at.close())

  const open = (userCode: string) => at.harness.account.openPanel({ ...at.harness.panel, userCode })

  // @spec 8.3
  it('is not sent if the panel has codes of other lengths only', async () => {
    at = await CommandedPanel.open()
    at.simulator.respondOnce('feature_set', { status: 200, body: { user: { code_length: [4, 6] } } })
    await at.harness.waitFor(at.panel.state.read(neverAborted()))
    const before = requestsTo(at.simulator, 'panel/login')
    await assert.rejects(open('12345'), { code: 'BAD_SETTING', message: /^User code: .* have 4 or 6 digits/ })
    assert.equal(requestsTo(at.simulator, 'panel/login'), before)
    await assert.rejects(open('123456'), { code: 'WRONG_USER_CODE' })
    assert.equal(requestsTo(at.simulator, 'panel/login'), before + 1)
  })

  // @spec 8.3
  it('stays in use if the panel has accepted it, whatever lengths it names', async () => {
    at = await CommandedPanel.open()
    at.simulator.respondOnce('feature_set', { status: 200, body: { user: { code_length: [8] } } })
    await at.harness.waitFor(at.panel.state.read(neverAborted()))
    at.simulator.accounts.expireSessions()
    await at.harness.waitFor(at.panel.state.read(neverAborted()))
    assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
  })

  // @spec 8.3
  it('of an installer may have any length', async () => {
    at = await CommandedPanel.open({}, {}, {})
    const installers = at.harness.openAccount({ api: 'service' })
    installers.knowledge.noteCodeLengths(at.harness.panel.serial, [6])
    await installers.openPanel({ ...at.harness.panel, userCode: at.simulator.installerCode })
    assert.ok(requestsTo(at.simulator, 'panel/login') > 1)
  })
})
