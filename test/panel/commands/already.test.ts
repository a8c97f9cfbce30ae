import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import { alarm } from '../../../harness/fixtures/samples.ts'
import { type CommandEnd, CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Command } from '../../../src/panel/commands/command.ts'
import { hang, latency } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'

const disarm = setState('DISARM')
const bypass = (enabled: boolean): Command => ({ action: 'bypass', zone: 2, enabled })
const outcome = ({ done, error }: CommandEnd) =>
  done ? (done.view.already ? 'already' : 'done') : (error?.reason ?? error?.code)

describe('A command for what the panel already is', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  const run = async (command: Command) => outcome(await at.run(command))

  // @spec 3-rule-2, same-state
  it('succeeds without being sent, after two answers that are five seconds apart', async () => {
    at.simulated.arm(1, 'AWAY')
    assert.equal(await run(setState('AWAY')), 'already', 'during the exit delay')
    await at.pass(60_000)
    for (const command of [setState('AWAY'), bypass(false)]) {
      const { done } = await at.run(command)
      assert.deepEqual([done?.view.already, done?.view.tookMs], [true, 5000])
    }
    assert.deepEqual(at.sent, [])
  })

  it('is sent if it disarms, and succeeds as what was so already', async () => {
    assert.equal(await run(disarm), 'already')
    assert.equal(await run(setState('DISARM', 2)), 'already')
    assert.equal(at.sent.length, 2)
  })

  it('is sent if the second answer does not show it any more', async () => {
    at.simulated.arm(1, 'AWAY')
    const arming = at.command(setState('AWAY'))
    await at.pass(2000)
    at.simulated.disarm(1)
    await at.waitFor(arming)
    assert.deepEqual([outcome(arming), at.states[0]], ['done', 'AWAY'])
  })

  it('is canceled by a disarm while it waits for the second answer, which does not wait for it', async () => {
    at.simulated.arm(1, 'AWAY')
    const arming = at.command(setState('AWAY'))
    await at.pass(1000)
    const disarming = at.command(disarm)
    await at.waitFor(arming, disarming)
    assert.deepEqual([outcome(arming), outcome(disarming)], ['Replaced', 'done'])
    assert.equal(disarming.done?.view.tookMs, 2000)
  })

  it('is sent if only an answer says so that another command had requested before', async () => {
    const slow = await CommandedPanel.open({}, {}, { timeout: 10 })
    const arming = slow.command(setState('HOME', 2))
    await until(() => slow.sent.length === 1)
    const body = { error: 10001, error_reason_code: 'BadRequestParams' }
    slow.simulator.faults.start(status(400, { body }), { operation: 'process_status', times: 1 })
    slow.simulator.faults.start(latency(8000), { operation: 'status', times: 1 })
    await slow.pass(2000)
    slow.simulated.arm(1, 'AWAY')
    const disarming = slow.command(disarm)
    await slow.waitFor(arming, disarming)
    assert.deepEqual([outcome(disarming), slow.states.slice(0, 2)], ['done', ['DISARM', 'HOME']])
    await slow.close()
  })

  it('succeeds for the whole panel if all partitions have the state', async () => {
    assert.equal(await run(setState('DISARM', -1)), 'already')
    at.simulated.arm(-1, 'HOME')
    assert.equal(await run(setState('HOME', -1)), 'already')
    assert.equal(at.sent.length, 1)
    at.simulated.disarm(2)
    assert.equal(await run(setState('DISARM', -1)), 'done')
    assert.deepEqual(at.states, ['DISARM', 'DISARM', 'DISARM'])
  })

  it('succeeds only if the panel also has the options of the command', async () => {
    assert.equal(await run(setState('AWAY', 1, ['NOENTRY'])), 'done')
    assert.equal(await run(setState('AWAY', 1, ['NOENTRY'])), 'already')
    assert.equal(await run(setState('AWAY')), 'already')
    assert.equal(await run(setState('AWAY', 1, ['LATCHKEY'])), 'INVALID_TRANSITION')
    assert.equal(at.sent.length, 1)
  })

  it('is no needless disarm while there is an alarm, and is for an alarm in memory', async () => {
    for (const [alarm_type, expected] of [
      ['FIRE', 'done'],
      ['ALARM_IN_MEMORY', 'already'],
    ] as const) {
      at.simulator.respondOnce('alarms', { status: 200, body: [alarm({ alarm_type })] })
      assert.equal(await run(disarm), expected)
    }
  })

  it('is no needless disarm while there is an alarm that one list lacks', async () => {
    at.simulator.respondOnce('alarms', { status: 200, body: [] })
    at.simulator.respondOnce('alarms', { status: 200, body: [alarm({ alarm_type: 'FIRE' })] })
    assert.equal(await run(disarm), 'done')
  })

  it('is no needless disarm if the alarms are not known', async () => {
    at.simulator.respondOnce('alarms', { status: 404, times: 2 })
    assert.equal(await run(disarm), 'done')
  })

  it('is no needless disarm after a flow has turned a siren on', async () => {
    assert.equal(await run({ action: 'siren_on' }), 'done')
    assert.equal(await run(disarm), 'done')
    assert.equal(await run(disarm), 'already')
    assert.deepEqual(at.sent, ['activate_siren', 'set_state', 'set_state'])
  })

  it('is no needless disarm while an arming command with an unknown result may still be carried out', async () => {
    at.simulator.faults.start(hang(), { operation: 'set_state', times: 1 })
    assert.equal(await run(setState('AWAY')), 'Unknown')
    assert.equal(await run(disarm), 'done')
    assert.equal(await run(disarm), 'already')
    assert.equal(at.sent.length, 3)
  })

  it('is in doubt if it disarms after an arming with an unknown result, and did not reach the panel', async () => {
    const stopped = new AbortController()
    const arming = at.command(setState('AWAY'), stopped.signal)
    await until(() => at.sent.length === 1)
    stopped.abort()
    at.simulator.faults.start(status(500), { operation: 'set_state', times: 1 })
    const { error } = await at.run(setState('DISARM'))
    assert.deepEqual([arming.error?.reason, error?.reason], ['Unknown', 'Unknown'])
    assert.deepEqual(at.states, ['AWAY', 'DISARM', 'DISARM'])
  })

  it('asks for the alarms only before a disarm that may be needless', async () => {
    at.simulated.arm(1, 'AWAY')
    await run(disarm)
    await run(setState('HOME'))
    await run(setState('HOME'))
    assert.equal(requestsTo(at.simulator, 'alarms'), 0)
  })
})
