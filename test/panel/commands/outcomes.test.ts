import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import type { Bypass, Command } from '../../../src/panel/commands/command.ts'
import { delayBefore } from '../../../src/panel/commands/command-progress.ts'
import { operations } from '../../../src/service/operations.ts'
import type { Fault } from '../../../src/simulator/faults/fault.ts'
import { cutAfter, hang, reset } from '../../../src/simulator/faults/network-faults.ts'
import { emptyBody, status } from '../../../src/simulator/faults/response-faults.ts'
import { tokenRevoked } from '../../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../../src/simulator/http/http-response.ts'

const bypass = (zone: number, enabled = true): Bypass => ({ action: 'bypass', zone, enabled })

/** The truth about the progress of commands, told with other words. */
function told(change: (process: Record<string, unknown>) => object): Fault {
  return {
    name: 'progress in other words',
    answer: (truth): HttpResponse => {
      const said = truth()
      return Array.isArray(said.body) ? { ...said, body: said.body.map(change) } : said
    },
  }
}

/** As services do that never say more than that the panel has it (field fact). */
const handledForEver = told((process) =>
  process.status === 'succeeded' ? { ...process, status: 'handled' } : process,
)

describe('A command that was sent', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  const during = (fault: Fault, operation: string, times?: number) =>
    at.simulator.faults.start(fault, { operation, ...(times === undefined ? {} : { times }) })

  // @spec 3-rule-3
  it('is done when the panel has done it, and it is known how long that took', async () => {
    const { done } = await at.run(setState('AWAY', 1, ['NOENTRY']))
    assert.equal(done?.view.tookMs, 2000)
    assert.deepEqual(at.states, ['AWAY', 'DISARM', 'DISARM'])
    assert.deepEqual(at.simulated.partitions[0]?.options, ['NOENTRY'])
    assert.deepEqual(at.sent, ['set_state'])
  })

  it('reaches all partitions, and disarms what is disarmed already', async () => {
    assert.ok((await at.run(setState('HOME', -1))).done)
    assert.deepEqual(at.states, ['HOME', 'HOME', 'HOME'])
    assert.ok((await at.run(setState('DISARM', 2))).done)
    assert.ok((await at.run(setState('DISARM', 2))).done)
    assert.deepEqual(at.states, ['HOME', 'DISARM', 'HOME'])
  })

  it('bypasses a zone and takes it in again, and sends nothing where that is so already', async () => {
    const enabled = () => at.simulated.zone(2).traits.bypass?.enabled
    assert.ok((await at.run(bypass(2))).done)
    assert.equal(enabled(), true)
    assert.equal((await at.run(bypass(2))).done?.view.tookMs, 0)
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

  it('fails with the word of the panel, and with the zones where it is no longer ready', async () => {
    const ending = at.command(setState('AWAY'))
    await at.settle()
    at.simulated.open(2)
    await at.waitFor(ending)
    const { code, reason, message } = ending.error ?? {}
    assert.deepEqual([code, reason], ['COMMAND_FAILED', 'NotReady'])
    assert.match(
      message ?? '',
      /did not carry out the command\. .*House.*Open: Kitchen window \(zone 2\)\. \(NotReady\)$/,
    )
    assert.deepEqual(at.states, ['DISARM', 'DISARM', 'DISARM'])
  })

  it('fails with a word and never with a sentence or a secret that the panel says', async () => {
    const { userCode } = at.harness.panel
    for (const [message, reason] of [
      ['Wrong code for Anna', 'PMAX_ERROR'],
      [userCode, 'PMAX_ERROR'],
      ['ZoneOpen', 'ZoneOpen'],
    ]) {
      const stop = during(
        told((process) => ({ ...process, status: 'failed', error: 'PMAX_ERROR', message })),
        'process_status',
      )
      const { error } = await at.run(setState('DISARM'))
      assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', reason])
      assert.ok(!error?.message.includes('Anna') && !error?.message.includes(userCode))
      stop()
    }
  })

  it('says so when a later command took its place', async () => {
    const ending = at.command(setState('AWAY'))
    await at.pass(500)
    const body = { partition: 1, state: 'HOME' }
    const { userCode, serial } = at.harness.panel
    const order = { panel: { serial, userCode }, body, signal: neverAborted() }
    await at.harness.openAccount().sendCommand(operations.setState, order)
    await at.waitFor(ending)
    assert.deepEqual([ending.error?.code, ending.error?.reason], ['COMMAND_FAILED', 'Replaced'])
    assert.match(ending.error?.message ?? '', /later command.*\(Replaced\)$/)
  })

  for (const command of [
    setState('HOME'),
    setState('DISARM', -1),
    bypass(3),
    { action: 'siren_on' },
  ] as Command[]) {
    it(`is done where the service never says more than handled: ${JSON.stringify(command)}`, async () => {
      during(handledForEver, 'process_status')
      assert.ok((await at.run(command)).done)
    })
  }

  it('is done where the service says handled and busy by turns', async () => {
    let looks = 0
    const byTurns = () => {
      looks += 1
      return looks % 2 === 0 ? 'running' : 'handled'
    }
    during(
      told((process) => ({ ...process, status: byTurns() })),
      'process_status',
    )
    const { done } = await at.run(setState('AWAY'))
    assert.ok(done && done.view.tookMs < 10_000)
  })

  it('is done where the service says handled at the last moment', async () => {
    const { clock } = at.harness
    const began = clock.monotonic()
    const late = () => (clock.monotonic() - began < 59_000 ? 'running' : 'handled')
    during(
      told((process) => ({ ...process, status: late() })),
      'process_status',
    )
    assert.ok((await at.run(setState('AWAY', 1, ['NOENTRY']))).done)
  })

  const lost: [string, Fault][] = [
    ['the connection was reset', reset()],
    ['the answer was cut off', cutAfter(3)],
    ['the answer was empty', emptyBody()],
  ]
  for (const [what, fault] of lost) {
    for (const command of [setState('AWAY'), setState('DISARM'), bypass(2)]) {
      it(`is done, and not sent again, where ${what} and the panel shows it: ${JSON.stringify(command)}`, async () => {
        during(fault, command.action === 'bypass' ? 'set_bypass_zone' : 'set_state')
        assert.ok((await at.run(command)).done)
        assert.equal(at.sent.length, 1)
      })
    }
  }

  for (const [what, fault, said, failedAfter] of [
    // Two seconds are the time-out.
    ['no answer came', hang(), /did not answer/, 2000],
    ['the service failed', status(500), /500/, 0],
  ] as const) {
    it(`may have been done or not where ${what}: after a minute that is said, with why and what the panel shows`, async () => {
      during(fault, 'set_state')
      const begun = at.harness.clock.monotonic()
      const { error, at: ended = 0 } = await at.run(setState('AWAY'))
      assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', 'Unknown'])
      assert.match(
        error?.message ?? '',
        /not known.*The panel shows: House \(partition 1\) is DISARM\. \(Unknown\)$/,
      )
      assert.match(error?.message ?? '', said)
      assert.equal(ended - begun, failedAfter + 60_000)
      assert.equal(at.sent.length, 1)
    })
  }

  it('leaves nothing to look at where it was for the siren: that is said at once', async () => {
    during(reset(), 'activate_siren')
    const { error, at: ended } = await at.run({ action: 'siren_on' })
    assert.deepEqual([error?.reason, ended], ['Unknown', 0])
  })

  it('is compared with the state where the service has forgotten it', async () => {
    during(status(400, { body: { error: 10001, error_reason_code: 'BadRequestParams' } }), 'process_status')
    assert.ok((await at.run(setState('HOME'))).done)
  })

  it('is compared with the state where the service speaks of others alone', async () => {
    during(
      told((process) => ({ ...process, token: 'another' })),
      'process_status',
    )
    assert.ok((await at.run(setState('HOME'))).done)
  })

  it('is followed over outages, and over an expiry of the session', async () => {
    during(status(500), 'process_status', 2)
    assert.equal((await at.run(setState('HOME'))).done?.view.tookMs, 4000)
    during(tokenRevoked('session'), 'process_status', 1)
    assert.ok((await at.run(setState('DISARM'))).done)
  })

  it('is followed for a minute, ever more seldom, and then compared', async () => {
    during(
      told((process) => ({ ...process, status: 'start' })),
      'process_status',
    )
    assert.equal((await at.run(setState('HOME'))).done?.view.tookMs, 60_000)
    const looks = at.simulator.requests.filter(({ path }) => path.endsWith('/process_status'))
    const since = looks.map(({ at }) => at / 1000)
    assert.deepEqual(since, [1, 2, 4, 7, 12, 20, 33, 53, 60])
  })

  it('is looked after ever more seldom, at most every 20 seconds', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 100].map(delayBefore),
      [1000, 1000, 2000, 3000, 5000, 8000, 13_000, 20_000, 20_000, 20_000],
    )
  })

  it('is given up when a minute is over since it was sent, and not before', async () => {
    during(
      told((process) => ({ ...process, status: 'start' })),
      'process_status',
    )
    const ending = at.command({ action: 'siren_on' })
    await at.pass(59_999)
    assert.equal(ending.at, undefined)
    await at.pass(1)
    assert.deepEqual([ending.error?.reason, ending.at], ['Unknown', 60_000])
  })

  it('lets whoever listens to the state know when it is settled', async () => {
    let settled = 0
    at.panel.settle = () => {
      settled += 1
    }
    await at.run(setState('HOME'))
    assert.equal(settled, 1)
    await at.run(setState('HOME'))
    await at.run(bypass(2))
    await at.run({ action: 'siren_on' })
    assert.equal(settled, 1, 'of what was not sent, and of what is no state')
  })

  it('is no trouble of the polls, and holds nothing back, when it fails', async () => {
    during(status(403, { body: { error: 10010 } }), 'set_state')
    const { error } = await at.run(setState('HOME'))
    assert.deepEqual([error?.code, error?.status], ['NOT_ALLOWED', 403])
    assert.equal(at.panel.health.latestFailure, undefined)
    at.simulator.faults.clear()
    assert.ok((await at.run(setState('HOME'))).done)
  })

  it('is checked by the events where the service cannot tell the state', async () => {
    await at.close()
    at = await CommandedPanel.open({ missingOperations: ['status'] })
    at.simulated.disarm(-1)
    assert.ok((await at.run(setState('HOME'))).done)
    assert.equal((await at.run(setState('HOME'))).error?.code, 'INVALID_TRANSITION')
    assert.equal(at.sent.length, 1)
  })
})
