import assert from 'node:assert/strict'
import { info, stateSet } from '../../../harness/fixtures/samples.ts'
import { CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import type { Command } from '../../../src/panel/commands/command.ts'
import type { ErrorCode } from '../../../src/service/error.ts'

const bypass = (zone: number): Command => ({ action: 'bypass', zone, enabled: true })

describe('A command is refused without being sent', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  async function assertRefused(command: Command, code: ErrorCode, sentence: RegExp): Promise<void> {
    const { error } = await at.run(command)
    assert.equal(error?.code, code, error?.message)
    assert.match(error?.message ?? '', sentence)
    assert.deepEqual(at.sent, [])
  }

  it('and without any request while commands are not allowed in the settings', async () => {
    await at.close()
    at = await CommandedPanel.open({}, { allowCommands: false })
    const requestCount = at.simulator.requests.length
    await assertRefused(setState('AWAY'), 'COMMANDS_DISABLED', /Allow flows to send commands/)
    assert.equal(at.simulator.requests.length, requestCount)
  })

  it('while the service cannot reach the panel', async () => {
    at.simulated.goOffline()
    await assertRefused(setState('DISARM'), 'PANEL_OFFLINE', /cannot reach the panel, so nothing was sent/)
    await assertRefused(bypass(2), 'PANEL_OFFLINE', /cannot reach the panel, so nothing was sent/)
    assert.equal(at.panel.online, false)
  })

  it('for an unknown partition, with a list of the partitions', () =>
    assertRefused(
      setState('AWAY', 4),
      'BAD_SETTING',
      /^The panel has no partition 4\..*: 1 \(House\), 2 \(Workshop\), 3/,
    ))

  it('for a partition of a panel without partitions', async () => {
    const partitions = [{ id: -1, state: 'DISARM', status: '', ready: true }]
    at.simulator.respondOnce('status', { status: 200, body: { connected: true, partitions } })
    await assertRefused(
      setState('AWAY', 2),
      'BAD_SETTING',
      /^The panel has no partition 2, because it has no partitions\. Use -1, the whole panel\.$/,
    )
  })

  // @spec 2.6
  it('for a state that the panel does not define, with a list of those that it does', () =>
    assertRefused(
      setState('VACATION'),
      'BAD_SETTING',
      /^VACATION is not a known state of House \(partition 1\)\. Possible: AWAY, HOME, DISARM\.$/,
    ))

  // @spec 2.6
  it('for the night if the panel has neither NIGHT nor HOME without entry delay', async () => {
    const body = info({ id: 1, name: 'House' })
    const states = stateSet.map((state) => ({ ...state, options: [] }))
    at.simulator.respondOnce('panel_info', { status: 200, body: { ...body, state_sets: { all: states } } })
    await assertRefused(
      setState('NIGHT'),
      'BAD_SETTING',
      /^NIGHT is not a known state of House \(partition 1\)\. Possible: AWAY, HOME, DISARM\.$/,
    )
  })

  // @spec 3-rule-1
  it('for a state that cannot be requested, with a list of those that can', async () => {
    const body = info({ id: 1, name: 'House' })
    const states = stateSet.map((state) => ({ ...state, settable: state.name !== 'AWAY' && state.settable }))
    at.simulator.respondOnce('panel_info', { status: 200, body: { ...body, state_sets: { all: states } } })
    await assertRefused(setState('AWAY'), 'NOT_SETTABLE', /AWAY is not possible for House.*: HOME, DISARM\./)
  })

  // @spec 3-rule-2
  it('for a state that cannot follow the current one, with a list of those that can', async () => {
    at.simulated.arm(1, 'AWAY')
    await assertRefused(
      setState('AWAY', 1, ['LATCHKEY']),
      'INVALID_TRANSITION',
      /^House \(partition 1\) is already arming AWAY \(exit delay\), so nothing was sent\. Possible now: HOME, DISARM\.$/,
    )
    at.simulated.openInstallerMenu()
    await assertRefused(
      setState('AWAY'),
      'INVALID_TRANSITION',
      /^AWAY is not possible now, because House .* is in programming mode\. Wait until that changes\.$/,
    )
  })

  // @spec 2.6
  it('for an option that the state does not have, with a list of its options', async () => {
    await assertRefused(
      setState('AWAY', 1, ['SLOWLY']),
      'BAD_SETTING',
      /the option "SLOWLY" for AWAY.*: NOENTRY, LATCHKEY/,
    )
    await assertRefused(setState('HOME', 1, ['LATCHKEY']), 'BAD_SETTING', /"LATCHKEY" for HOME/)
    await assertRefused(setState('DISARM', 1, ['NOENTRY']), 'BAD_SETTING', /Possible: none/)
  })

  it('for the whole panel if one of its partitions does not allow it', async () => {
    at.simulated.arm(2, 'HOME')
    await assertRefused(
      setState('HOME', -1),
      'INVALID_TRANSITION',
      /^The command HOME for the whole panel was not sent, because Workshop \(partition 2\) is already arming HOME \(exit delay\)\. Send it to each of the others alone: House \(partition 1\), Garage \(partition 3\)\.$/,
    )
  })

  it('if the partition is not ready to arm, with every zone that is open, in trouble or bypassed', async () => {
    at.simulated.open(2)
    at.simulated.tamper(3)
    at.simulated.lowBattery(at.simulated.zone(3).id)
    at.simulated.bypass(8, true)
    const { error } = await at.run(setState('AWAY'))
    assert.deepEqual([error?.code, error?.reason], ['NOT_SETTABLE', 'NotReady'])
    const [, why] = error?.message.split('House (partition 1) is not ready to arm. ') ?? []
    const troubled = 'Repair or bypass: Bedroom window (zone 3): low battery and tamper.'
    assert.equal(
      why,
      `Close or bypass: Kitchen window (zone 2). ${troubled} Bypassed zones, which do not prevent arming: Winter garden (zone 8). (NotReady)`,
    )
    assert.deepEqual(at.sent, [])
  })

  it('for the whole panel if one partition is not ready, with the zones of that partition only', async () => {
    at.simulated.open(9)
    at.simulated.bypass(3, true)
    const { error } = await at.run(setState('HOME', -1))
    assert.match(
      error?.message ?? '',
      /^Workshop \(partition 2\) is not ready to arm\. Close or bypass: Workshop door \(zone 9\)\. \(NotReady\)$/,
    )
  })

  it('for an unknown zone, with a list of the zones', () =>
    assertRefused(
      bypass(99),
      'BAD_SETTING',
      /^The panel has no zone 99\. It has: Front door \(zone 1\), Kitchen window/,
    ))

  // @spec bypass-mode
  it('for a zone that cannot be bypassed', () =>
    assertRefused(bypass(6), 'NOT_SETTABLE', /Landing \(zone 6\)/))

  it('for a siren that flows cannot control', async () => {
    const features = { enabling_siren: false, disabling_siren: false }
    at.simulator.respondOnce('panel_info', { status: 200, body: { ...info({ id: 1 }), features } })
    await assertRefused({ action: 'siren_on' }, 'NOT_SETTABLE', /cannot be turned on from a flow/)
    await assertRefused({ action: 'siren_off' }, 'NOT_SETTABLE', /cannot be turned off from a flow/)
  })

  // @spec 2.5
  it('for a siren that can be silenced but not sounded', async () => {
    const features = { enabling_siren: false, disabling_siren: true }
    at.simulator.respondOnce('panel_info', { status: 200, body: { ...info({ id: 1 }), features } })
    await assertRefused({ action: 'siren_on' }, 'NOT_SETTABLE', /cannot be turned on from a flow/)
  })

  // @spec panel-not-ready
  it('while the state cannot be read, if it arms', async () => {
    at.simulator.respondOnce('status', { status: 500, times: 2 })
    await assertRefused(setState('AWAY'), 'SERVER_ERROR', /status/)
    at.simulator.respondOnce('status', { status: 200, body: { connected: true, partitions: [] } })
    await assertRefused(setState('AWAY'), 'SERVER_ERROR', /status/)
    await assertRefused(setState('AWAY'), 'BAD_RESPONSE', /still be connecting/)
  })
})
