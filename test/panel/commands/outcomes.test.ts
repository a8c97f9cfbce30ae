import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import type { Bypass, Command } from '../../../src/panel/commands/command.ts'
import { delayBefore, progressOf } from '../../../src/panel/commands/command-result.ts'
import { operations } from '../../../src/service/operations.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { cutAfter, hang, reset } from '../../../src/simulator/faults/network-faults.ts'
import { emptyBody, status } from '../../../src/simulator/faults/response-faults.ts'
import { tokenRevoked } from '../../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../../src/simulator/http/http-response.ts'

const bypass = (zone: number, enabled = true): Bypass => ({ action: 'bypass', zone, enabled })

/** A fault that changes the entries of the command progress. */
function changedProgress(change: (process: Record<string, unknown>) => object): Fault {
  return {
    name: 'changed progress',
    answer: (truth): HttpResponse => {
      const reply = truth()
      return Array.isArray(reply.body) ? { ...reply, body: reply.body.map(change) } : reply
    },
  }
}

/** Some services never report more than "handled" (seen in the field). */
const alwaysHandled = changedProgress((process) =>
  process.status === 'succeeded' ? { ...process, status: 'handled' } : process,
)

describe('A command that was sent', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  const startFault = (fault: Fault, operation: string, times?: number) =>
    at.simulator.faults.start(fault, { operation, ...(times === undefined ? {} : { times }) })

  // @spec 3-rule-3
  it('succeeds when the panel has executed it, and reports how long that took', async () => {
    const { done } = await at.run(setState('AWAY', 1, ['NOENTRY']))
    assert.equal(done?.view.tookMs, 2000)
    assert.deepEqual(at.states, ['AWAY', 'DISARM', 'DISARM'])
    assert.deepEqual(at.simulated.partitions[0]?.options, ['NOENTRY'])
    assert.deepEqual(at.sent, ['set_state'])
  })

  it('can change all partitions, and can disarm what is already disarmed', async () => {
    assert.ok((await at.run(setState('HOME', -1))).done)
    assert.deepEqual(at.states, ['HOME', 'HOME', 'HOME'])
    assert.ok((await at.run(setState('DISARM', 2))).done)
    assert.ok((await at.run(setState('DISARM', 2))).done)
    assert.deepEqual(at.states, ['HOME', 'DISARM', 'HOME'])
  })

  it('bypasses a zone and removes the bypass, and is not sent if the zone already has that state', async () => {
    const enabled = () => at.simulated.zone(2).traits.bypass?.enabled
    assert.ok((await at.run(bypass(2))).done)
    assert.equal(enabled(), true)
    assert.equal((await at.run(bypass(2))).done?.view.already, true)
    assert.ok((await at.run(bypass(2, false))).done)
    assert.equal(enabled(), false)
    assert.deepEqual(at.sent, ['set_bypass_zone', 'set_bypass_zone'])
  })

  it('sounds the siren and silences it', async () => {
    assert.ok((await at.run({ action: 'siren_on' })).done)
    assert.equal(at.simulated.siren.sounding, true)
    assert.ok((await at.run({ action: 'siren_off' })).done)
    assert.equal(at.simulated.siren.sounding, false)
  })

  it('fails with the reason of the panel, and with the open zones if it is no longer ready', async () => {
    const ending = at.command(setState('AWAY'))
    await at.settle()
    at.simulated.open(2)
    await at.waitFor(ending)
    const { code, reason, message } = ending.error ?? {}
    assert.deepEqual([code, reason], ['COMMAND_FAILED', 'NotReady'])
    assert.match(
      message ?? '',
      /did not carry out the command AWAY for partition 1\. House.*Close or bypass: Kitchen window \(zone 2\)\. \(NotReady\)$/,
    )
    assert.deepEqual(at.states, ['DISARM', 'DISARM', 'DISARM'])
  })

  it('is a disarm in any state, which the panel itself refuses while its installer menu is open', async () => {
    at.simulated.openInstallerMenu()
    for (const partition of [1, -1]) {
      const { error } = await at.run(setState('DISARM', partition))
      assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', 'InvalidState'])
    }
    assert.deepEqual(at.sent, ['set_state', 'set_state'])
  })

  it('fails with a reason code, never with a sentence or a secret from the panel', async () => {
    at.simulated.arm(1, 'AWAY')
    const { userCode } = at.harness.panel
    for (const [message, reason] of [
      ['Wrong code for Anna', 'PMAX_ERROR'],
      [userCode, 'PMAX_ERROR'],
      ['ZoneOpen', 'ZoneOpen'],
    ]) {
      const stop = startFault(
        changedProgress((process) => ({ ...process, status: 'failed', error: 'PMAX_ERROR', message })),
        'process_status',
      )
      const { error } = await at.run(setState('DISARM'))
      assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', reason])
      assert.ok(!error?.message.includes('Anna') && !error?.message.includes(userCode))
      stop()
    }
  })

  it('reports that a later command replaced it', async () => {
    const ending = at.command(setState('AWAY'))
    await at.pass(500)
    const body = { partition: 1, state: 'HOME' }
    const { userCode, serial } = at.harness.panel
    const options = { panel: { serial, userCode }, body, signal: neverAborted() }
    await at.harness.openAccount().sendCommand(operations.setState, options)
    await at.waitFor(ending)
    assert.deepEqual([ending.error?.code, ending.error?.reason], ['COMMAND_FAILED', 'Replaced'])
    assert.match(ending.error?.message ?? '', /later command.*\(Replaced\)$/)
  })

  for (const command of [setState('HOME'), setState('DISARM', -1), bypass(3)] as Command[]) {
    it(`succeeds if the service never reports more than "handled": ${JSON.stringify(command)}`, async () => {
      startFault(alwaysHandled, 'process_status')
      assert.ok((await at.run(command)).done)
    })
  }

  it('succeeds if the service alternates between "handled" and "running"', async () => {
    let polls = 0
    const alternating = () => {
      polls += 1
      return polls % 2 === 0 ? 'running' : 'handled'
    }
    startFault(
      changedProgress((process) => ({ ...process, status: alternating() })),
      'process_status',
    )
    const { done } = await at.run(setState('AWAY'))
    assert.ok(done && done.view.tookMs < 10_000)
  })

  it('succeeds if the service reports "handled" at the last moment', async () => {
    const { clock } = at.harness
    const began = clock.monotonic()
    const late = () => (clock.monotonic() - began < 59_000 ? 'running' : 'handled')
    startFault(
      changedProgress((process) => ({ ...process, status: late() })),
      'process_status',
    )
    assert.ok((await at.run(setState('AWAY', 1, ['NOENTRY']))).done)
  })

  const lost: [string, Fault][] = [
    ['the connection was reset', reset()],
    ['the answer was truncated', cutAfter(3)],
    ['the answer was empty', emptyBody()],
  ]
  for (const [what, fault] of lost) {
    for (const command of [setState('AWAY'), setState('DISARM'), bypass(2)]) {
      it(`succeeds, without being sent again, if ${what} and the panel shows the change: ${JSON.stringify(command)}`, async () => {
        if (command.action === 'set_state' && command.state === 'DISARM') at.simulated.arm(1, 'HOME')
        startFault(fault, command.action === 'bypass' ? 'set_bypass_zone' : 'set_state')
        assert.ok((await at.run(command)).done)
        assert.equal(at.sent.length, 1)
      })
    }
  }

  for (const [what, fault, reply, failedAfter] of [
    // The timeout is two seconds.
    ['no answer came', hang(), /did not answer/, 2000],
    ['the service failed', status(500), /500/, 0],
  ] as const) {
    it(`is in doubt if ${what}, and after a minute reports the cause and what the panel shows`, async () => {
      startFault(fault, 'set_state')
      const begun = at.harness.clock.monotonic()
      const { error, at: ended = 0 } = await at.run(setState('AWAY'))
      assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', 'Unknown'])
      assert.match(
        error?.message ?? '',
        /not known.*After the command, House \(partition 1\) was disarmed\. Look at the panel\. \(Unknown\)$/,
      )
      assert.match(error?.message ?? '', reply)
      assert.equal(ended - begun, failedAfter + 60_000)
      assert.equal(at.sent.length, 1)
    })
  }

  it('is in doubt at once if it was for the siren, whose state the service does not report', async () => {
    startFault(reset(), 'activate_siren')
    const { error, at: ended } = await at.run({ action: 'siren_on' })
    assert.deepEqual([error?.reason, ended], ['Unknown', 0])
  })

  it('is compared with the state if the service no longer knows it', async () => {
    startFault(
      status(400, { body: { error: 10001, error_reason_code: 'BadRequestParams' } }),
      'process_status',
    )
    assert.ok((await at.run(setState('HOME'))).done)
  })

  it('is compared with the state if the service reports only other commands', async () => {
    startFault(
      changedProgress((process) => ({ ...process, token: 'another' })),
      'process_status',
    )
    assert.ok((await at.run(setState('HOME'))).done)
  })

  it('is followed through outages and an expiry of the session', async () => {
    startFault(status(500), 'process_status', 2)
    assert.equal((await at.run(setState('HOME'))).done?.view.tookMs, 4000)
    startFault(tokenRevoked('session'), 'process_status', 1)
    assert.ok((await at.run(setState('DISARM'))).done)
    startFault(status(440), 'process_status', 2)
    assert.ok((await at.run({ action: 'siren_on' })).done, 'two expiries')
  })

  it('is followed for a minute at growing intervals, and then compared with the state', async () => {
    startFault(
      changedProgress((process) => ({ ...process, status: 'start' })),
      'process_status',
    )
    assert.equal((await at.run(setState('HOME'))).done?.view.tookMs, 60_000)
    const polls = at.simulator.requests.filter(({ path }) => path.endsWith('/process_status'))
    const since = polls.map(({ at }) => at / 1000)
    assert.deepEqual(since, [1, 2, 4, 7, 12, 20, 33, 53, 60])
  })

  it('is lost if the service lists other commands only', () => {
    const other = { token: 't-1', status: 'succeeded', message: '', error: '' }
    assert.deepEqual(progressOf([other], 't-2'), { stage: 'lost' })
  })

  it('is followed at growing intervals of up to 20 seconds', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 100].map(delayBefore),
      [1000, 1000, 2000, 3000, 5000, 8000, 13_000, 20_000, 20_000, 20_000],
    )
  })

  it('is given up exactly one minute after it was sent', async () => {
    startFault(
      changedProgress((process) => ({ ...process, status: 'start' })),
      'process_status',
    )
    const ending = at.command({ action: 'siren_on' })
    await at.pass(59_999)
    assert.equal(ending.at, undefined)
    await at.pass(1)
    assert.deepEqual([ending.error?.reason, ending.at], ['Unknown', 60_000])
  })

  it('makes the state poller read at once when it ends', async () => {
    let settled = 0
    at.panel.state.refresh = () => {
      settled += 1
    }
    await at.run(setState('HOME'))
    assert.equal(settled, 1)
    await at.run(setState('HOME'))
    await at.run(bypass(2))
    await at.run({ action: 'siren_on' })
    assert.equal(settled, 1, 'of what was not sent, and of what is no state')
  })

  it('does not count as an outage of the polls when it fails, and does not block later commands', async () => {
    startFault(status(403, { body: { error: 10010 } }), 'set_state')
    const { error } = await at.run(setState('HOME'))
    assert.deepEqual([error?.code, error?.status], ['NOT_ALLOWED', 403])
    assert.equal(at.panel.health.latestFailure, undefined)
    at.simulator.faults.clear()
    assert.ok((await at.run(setState('HOME'))).done)
  })

  it('is verified by the events if the service does not report the state', async () => {
    await at.close()
    at = await CommandedPanel.open({ missingOperations: ['status'] })
    at.simulated.disarm(-1)
    assert.ok((await at.run(setState('HOME'))).done)
    assert.equal((await at.run(setState('HOME'))).done?.view.already, true)
    assert.equal(at.sent.length, 1)
  })
})
