import assert from 'node:assert/strict'
import { type CommandEnd, CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import { minute, second } from '../../../src/duration.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { commandLost, processesLost } from '../../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../../src/simulator/http/http-response.ts'

const away = setState('AWAY')
const disarm = setState('DISARM')

const outcome = ({ done, error }: CommandEnd) =>
  done ? (done.view.already ? 'already' : 'done') : (error?.reason ?? error?.code)

describe('A command whose reads a cache answers, although they ask for no kept answer', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(() => at.close())

  const run = async (command: Parameters<CommandedPanel['run']>[0]) => outcome(await at.run(command))

  /** Keeps the answers of an operation for some minutes. */
  function keep(operation: string): void {
    let kept: { response: HttpResponse; since: number } | undefined
    const cache: Fault = {
      name: 'cache',
      answer: (getOriginal) => {
        const now = at.harness.clock.monotonic()
        if (kept === undefined || now - kept.since > 3 * minute) {
          kept = { response: structuredClone(getOriginal()), since: now }
          return kept.response
        }
        const { response, since } = kept
        const Age = `${Math.floor((now - since) / second)}`
        return { ...response, headers: { ...response.headers, Age } }
      },
    }
    at.simulator.faults.start(cache, { operation })
  }

  it('is not "already": two copies of one answer are sent within seconds, and are as old as it is', async () => {
    at.simulated.arm(1, 'AWAY', { exitDelay: 0 })
    keep('status')
    assert.equal(await run(disarm), 'done', 'by its progress')
    await at.pass(minute)
    assert.equal(await run(away), 'done', 'by its progress')
    assert.deepEqual([at.states[0], at.sent.length], ['AWAY', 2])
  })

  it('is not that a disarm was needless, because a copy shows disarmed and quiet', async () => {
    for (const operation of ['status', 'alarms']) keep(operation)
    assert.notEqual(await run(disarm), 'Unknown')
    at.simulated.arm(1, 'AWAY', { exitDelay: 0 })
    await at.pass(30 * second)
    at.simulator.faults.start(processesLost())
    at.simulator.faults.start(commandLost(), { operation: 'set_state' })
    const { error } = await at.run(disarm)
    assert.equal(error?.reason, 'Unknown')
    assert.doesNotMatch(error.message, /After the command/, 'the copy is from before it')
    assert.equal(at.states[0], 'AWAY')
  })

  it('is not refused because of the state that a copy shows', async () => {
    at.simulated.openInstallerMenu()
    keep('status')
    assert.equal(await run(away), 'INVALID_TRANSITION')
    at.simulated.disarm(-1)
    await at.pass(10 * second)
    assert.equal(await run(away), 'done')
    assert.equal(at.states[0], 'AWAY')
  })
})
