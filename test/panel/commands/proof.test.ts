import assert from 'node:assert/strict'
import { withoutOptions } from '../../../harness/fixtures/missing-options.ts'
import { type CommandEnd, CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Bypass, Command } from '../../../src/panel/commands/command.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { showsLate } from '../../../src/simulator/faults/lag-faults.ts'
import { hang, reset } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'
import {
  commandLost,
  panelRefuses,
  processesLost,
  staysHandled,
} from '../../../src/simulator/faults/service-faults.ts'

const away = setState('AWAY')
const disarm = setState('DISARM')
const bypass = (enabled: boolean): Bypass => ({ action: 'bypass', zone: 2, enabled })

const outcome = ({ done, error }: CommandEnd | undefined = {}) =>
  done ? (done.view.already ? 'already' : 'done') : (error?.reason ?? error?.code)

describe('What a command is told', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  const run = async (command: Command) => outcome(await at.run(command))
  const start = (fault: Fault, operation?: string, times?: number) =>
    at.simulator.faults.start(fault, { ...(operation && { operation }), ...(times && { times }) })
  const showLate = (seconds: number) =>
    start(showsLate({ status: seconds, devices: seconds, alarms: seconds, events: seconds }))
  const panic = () => {
    const [pendant] = at.simulated.devices.filter(({ subtype }) => /KEYFOB|PENDANT/.test(subtype))
    at.simulated.panic(pendant?.id ?? assert.fail())
  }
  const isInAlarm = () => at.simulated.incidents.some(({ active }) => active)

  describe('by a service that shows changes four seconds late', () => {
    beforeEach(() => {
      showLate(4)
    })

    for (const [first, second, state] of [
      [away, disarm, 'DISARM'],
      [disarm, away, 'AWAY'],
      [setState('HOME'), disarm, 'DISARM'],
      [setState('AWAY', -1), disarm, 'DISARM'],
      [away, setState('DISARM', -1), 'DISARM'],
    ] as const) {
      it(`is done for ${second.state} of ${second.partition} a second after ${first.state} of ${first.partition}, and it is so`, async () => {
        if (first.state === 'DISARM') {
          at.simulated.arm(1, 'AWAY')
          await at.pass(10_000)
        }
        assert.equal(await run(first), 'done')
        await at.pass(1000)
        assert.equal(await run(second), 'done')
        await at.pass(10_000)
        assert.deepEqual([at.states[0], at.sent.length], [state, 2])
      })
    }

    it('is done for the end of a bypass a second after the bypass, and for a bypass after its end', async () => {
      for (const enabled of [true, false, true]) {
        assert.equal(await run(bypass(enabled)), 'done')
        assert.deepEqual(at.bypassed, enabled ? [2] : [])
        await at.pass(1000)
      }
      assert.equal(at.sent.length, 3)
    })

    it('is true for what was done at the keypad a second ago', async () => {
      at.simulated.arm(1, 'AWAY')
      await at.pass(1000)
      assert.ok((await at.run(disarm)).done)
      assert.deepEqual([at.states[0], at.sent.length], ['DISARM', 1])
      at.simulated.arm(1, 'AWAY')
      await at.pass(70_000)
      at.simulated.disarm(1)
      await at.pass(1000)
      assert.equal(await run(away), 'done')
      assert.deepEqual([at.states[0], at.sent.length], ['AWAY', 2])
    })

    it('is not that a state cannot follow the one of before', async () => {
      at.simulated.arm(1, 'AWAY')
      await at.pass(70_000)
      at.simulated.open(1)
      at.simulated.close(1)
      await at.pass(5000)
      assert.equal(at.states[0], 'ENTRY_DELAY')
      assert.equal(await run(disarm), 'done')
      assert.equal(await run(setState('HOME')), 'done')
      assert.equal(at.states[0], 'HOME')
    })

    it('is unknown for a disarm that is lost a second after an arming, though all that shows is disarmed and quiet', async () => {
      assert.equal(await run(away), 'done')
      await at.pass(1000)
      start(reset('not done'), 'set_state')
      start(status(404), 'events')
      assert.equal(await run(disarm), 'Unknown')
      assert.equal(at.states[0], 'AWAY')
    })

    it('is unknown for an arming that is lost a second after a disarm, though it shows armed', async () => {
      at.simulated.arm(1, 'AWAY')
      await at.pass(70_000)
      assert.equal(await run(disarm), 'done')
      start(reset('not done'), 'set_state')
      assert.equal(await run(away), 'Unknown')
      assert.equal(at.states[0], 'DISARM')
    })

    it('is unknown for an end of a bypass that is lost a second after the bypass', async () => {
      assert.equal(await run(bypass(true)), 'done')
      start(reset('not done'), 'set_bypass_zone')
      assert.equal(await run(bypass(false)), 'Unknown')
      assert.deepEqual(at.bypassed, [2])
    })

    it('is unknown for a disarm of what was armed at the keypad a second ago, and whose progress is lost', async () => {
      start(processesLost())
      start(commandLost(), 'set_state')
      start(status(404), 'events')
      at.simulated.arm(1, 'AWAY')
      await at.pass(1000)
      assert.equal(await run(disarm), 'Unknown')
      assert.equal(at.states[0], 'AWAY')
    })
  })

  describe('for a disarm of what is disarmed and quiet', () => {
    it('is that it was so already; it is sent all the same', async () => {
      assert.equal(await run(disarm), 'already')
      assert.equal(await run(disarm), 'already')
      assert.equal(await run(setState('DISARM', -1)), 'already')
      assert.deepEqual(at.sent, ['set_state', 'set_state', 'set_state'])
    })

    for (const [what, fault] of [
      ['never says more than handled', staysHandled()],
      ['forgets its progress', processesLost()],
      ['lists other commands only', processesLost('empty list')],
    ] as const) {
      it(`is that it was so already if the service ${what}, after some seconds`, async () => {
        start(fault)
        const ending = await at.run(disarm)
        assert.equal(outcome(ending), 'already')
        assert.ok((ending.at ?? 0) >= 5000 && (ending.at ?? 0) <= 10_000, `${ending.at}`)
      })
    }

    it('is the failure that the panel reports', async () => {
      start(panelRefuses('Jammed'))
      assert.equal(await run(disarm), 'Jammed')
    })

    it('is that it is unknown if the connection was lost, unless a new event tells', async () => {
      start(reset('not done'), 'set_state', 1)
      assert.equal(await run(disarm), 'Unknown')
      start(reset('done'), 'set_state', 2)
      assert.equal(await run(disarm), 'Unknown', 'it may be the event of the first one')
      await at.pass(60_000)
      assert.equal(await run(disarm), 'done')
    })

    it('is that it is done if the alarms cannot be read, by its progress or by an event', async () => {
      start(status(500), 'alarms')
      assert.equal(await run(disarm), 'done')
      await at.pass(60_000)
      start(processesLost())
      assert.equal(await run(disarm), 'done')
      await at.pass(60_000)
      at.simulator.faults.clear()
      start(status(500), 'alarms')
      start(commandLost(), 'set_state')
      assert.equal(await run(disarm), 'Unknown', 'what cannot be read proves nothing')
    })

    it('does not have the state read for all nodes: it has just been', async () => {
      let settled = 0
      at.panel.state.refresh = () => {
        settled += 1
      }
      assert.equal(await run(disarm), 'already')
      assert.equal(settled, 0)
    })
  })

  describe('for a disarm in an alarm of what is disarmed', () => {
    beforeEach(() => panic())

    for (const fault of [hang('not done'), reset('not done'), commandLost()]) {
      it(`is that it is unknown while the alarm is active, after: ${fault.name}`, async () => {
        start(fault, 'set_state')
        assert.equal(await run(setState('DISARM', -1)), 'Unknown')
        assert.ok(isInAlarm())
      })
    }

    for (const [what, fault] of [
      ['by its progress', undefined],
      ['by a new event, although the answer was lost', reset()],
      ['by lists without the alarm, if the service never says more than handled', staysHandled()],
      ['by lists without the alarm, if the service forgets its progress', processesLost()],
    ] as const) {
      it(`is done ${what}`, async () => {
        if (fault) start(fault, fault.name.startsWith('reset') ? 'set_state' : undefined)
        assert.equal(await run(disarm), 'done')
        assert.ok(!isInAlarm())
      })
    }

    it('is done by two lists without the alarm, where there are no events', async () => {
      start(status(404), 'events')
      start(reset(), 'set_state')
      assert.equal(await run(disarm), 'done')
      assert.ok(requestsTo(at.simulator, 'alarms') >= 3)
    })
  })

  it('is unknown for a siren that nothing but "handled" is said of', async () => {
    start(staysHandled())
    for (const action of ['siren_on', 'siren_off'] as const) {
      const { error } = await at.run({ action })
      assert.equal(error?.reason, 'Unknown')
      assert.match(error.message, /The panel has received it\. Its result is not known\./)
    }
  })

  it('is not that a disarm was needless after a flow has turned a siren on, which lists do not show', async () => {
    assert.equal(await run({ action: 'siren_on' }), 'done')
    assert.equal(await run(disarm), 'done')
    assert.equal(await run({ action: 'siren_on' }), 'done')
    start(commandLost(), 'set_state')
    assert.equal(await run(disarm), 'Unknown')
    assert.equal(at.simulated.siren.sounding, true)
  })

  describe('of options', () => {
    const night = setState('HOME', 1, ['NOENTRY'])

    it('is that they are missing if the panel shows the state without them, whatever its progress says', async () => {
      start(withoutOptions, 'status')
      const { error } = await at.run(setState('NIGHT'))
      assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', 'Unknown'])
      assert.match(
        error?.message ?? '',
        /^The panel reports that it has carried out the command HOME for partition 1, but does not show all options of it: NOENTRY\. After the command, House \(partition 1\) was armed HOME\. Look at the panel\. \(Unknown\)$/,
      )
    })

    it('is done as soon as they show, however late', async () => {
      start(showsLate({ status: 4 }))
      assert.equal(await run(setState('NIGHT')), 'done')
    })

    it('is unknown if the state shows without them and the progress is lost', async () => {
      start(withoutOptions, 'status')
      start(processesLost())
      assert.equal(await run(night), 'Unknown')
    })

    it('is that HOME is not the night: it is not so already', async () => {
      assert.equal(await run(night), 'done')
      assert.equal(await run(night), 'already')
      const { error } = await at.run(setState('HOME'))
      assert.equal(error?.code, 'INVALID_TRANSITION')
      assert.match(error.message, /is already arming HOME without entry delay/)
    })
  })

  it('is true on a service without a status, whose events come a minute late', async () => {
    await at.close()
    at = await CommandedPanel.open({ missingOperations: ['status'] })
    at.simulated.disarm(-1)
    start(showsLate({ events: 60 }))
    await at.pass(120_000)
    at.simulated.arm(1, 'AWAY')
    await at.pass(30_000)
    assert.ok((await at.run(disarm)).done)
    assert.deepEqual([at.states[0], at.sent.length], ['DISARM', 1])
  })

  describe('for a disarm whose look at the panel fails', () => {
    beforeEach(() => at.simulated.arm(1, 'AWAY'))

    for (const [what, fault, operation] of [
      ['the status cannot be read', status(500), 'status'],
      ['no status comes', hang(), 'status'],
      ['the setup cannot be read', status(500), 'panel_info'],
      ['the status has no partition', { name: 'thin', answer: thin(() => []) }, 'status'],
      ['one status lacks the partition', { name: 'thin', answer: thin((all) => all.slice(1)) }, 'status'],
    ] as const) {
      it(`is done by its progress if ${what}`, async () => {
        start(fault, operation, 1)
        assert.equal(await run(disarm), 'done')
        assert.deepEqual([at.states[0], at.sent.length], ['DISARM', 1])
      })
    }

    it('is the refusal of a partition that neither the status nor the setup has', async () => {
      assert.equal(await run(setState('DISARM', 9)), 'BAD_SETTING')
      assert.deepEqual(at.sent, [])
    })
  })
})

/** Returns the answer of a fault that changes the partitions of a status. */
function thin(change: (partitions: readonly unknown[]) => readonly unknown[]): NonNullable<Fault['answer']> {
  return (getOriginal) => {
    const reply = structuredClone(getOriginal())
    const body = reply.body as { partitions: readonly unknown[] }
    return { ...reply, body: { ...body, partitions: change(body.partitions) } }
  }
}
