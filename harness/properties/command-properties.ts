import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { SetState } from '../../src/panel/commands/command.ts'
import { wholePanel } from '../../src/service/responses/status.ts'
import { cutAfter, hang, reset } from '../../src/simulator/faults/network-faults.ts'
import { emptyBody, status } from '../../src/simulator/faults/response-faults.ts'
import { tokenRevoked } from '../../src/simulator/faults/service-faults.ts'
import { seed } from '../mocha/seed.ts'
import { type CommandEnd, CommandedPanel, setState } from '../panel/commanded-panel.ts'
import { NamedFaults } from './named-faults.ts'

/** A command and its record. */
interface Given {
  command: SetState
  flow: AbortController
  ending: CommandEnd
  at: number
}

type Step =
  | { does: 'command'; command: SetState }
  | { does: 'pass'; seconds: number }
  | { does: 'fault'; fault: string; operation: string }
  | { does: 'stop'; which: number }

const commands = fc
  .record({
    state: fc.constantFrom('AWAY', 'HOME', 'DISARM', 'DISARM'),
    partition: fc.constantFrom(wholePanel, 1, 1, 2),
  } as const)
  .map(({ state, partition }) => setState(state, partition))

const faults = new NamedFaults(
  reset,
  () => cutAfter(5),
  hang,
  () => status(500),
  emptyBody,
  () => tokenRevoked('session'),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: commands.map((command): Step => ({ does: 'command', command })) },
  { weight: 4, arbitrary: fc.nat(9).map((seconds): Step => ({ does: 'pass', seconds })) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('fault' as const),
      fault: faults.anyName,
      operation: fc.constantFrom('set_state', 'set_state', 'process_status', 'status'),
    }),
  },
  { weight: 1, arbitrary: fc.nat(20).map((which): Step => ({ does: 'stop', which })) },
)

/** The event types of arming. */
const armings = [85, 86, 96]
const disarmings = [89, 31, 173]

/**
 * Adds a test of the promises of commands, with `numRuns` random sequences of commands, faults and stops of flows.
 */
export function testCommands(numRuns: number): void {
  let at: CommandedPanel

  const now = () => at.harness.clock.monotonic()

  /** Runs the sequence until every command has ended. */
  async function happen(steps: readonly Step[]): Promise<Given[]> {
    const given: Given[] = []
    for (const step of steps) {
      if (step.does === 'command') {
        const flow = new AbortController()
        given.push({ command: step.command, flow, ending: at.command(step.command, flow.signal), at: now() })
        await new Promise(setImmediate)
      }
      if (step.does === 'pass') await at.pass(step.seconds * 1000)
      if (step.does === 'fault')
        at.simulator.faults.start(faults.make(step.fault), { operation: step.operation, times: 1 })
      if (step.does === 'stop') given[step.which % Math.max(1, given.length)]?.flow.abort()
    }
    await at.waitFor(...given.map(({ ending }) => ending))
    return given
  }

  /** Returns the armings and disarmings of the panel after an event, with time and partition, in order. */
  function deeds(after: number) {
    const begun = at.harness.clock.wall() - now()
    const since = at.simulated.events.filter(({ event }) => event > after)
    return since.map(({ type_id, datetime, partitions }) => ({
      isArming: armings.includes(type_id),
      isDisarming: disarmings.includes(type_id),
      at: Date.parse(`${datetime.replace(' ', 'T')}Z`) - begun,
      partitions,
    }))
  }

  /** Lets a sequence happen at a panel, and asserts the promises. */
  async function check(steps: readonly Step[]): Promise<void> {
    const before = at.simulated.events.at(-1)?.event ?? 0
    const given = await happen(steps)
    at.simulator.faults.clear()
    await at.pass(5000)
    const done = deeds(before)
    const killed = steps.filter((step) => step.does === 'fault' && step.fault.includes('session')).length

    assert.ok(at.sent.length <= given.length + killed, 'sent too often')
    assert.ok(done.length <= given.length, 'done too often')

    const covers = (command: SetState, partitions: readonly number[]) =>
      command.partition === wholePanel || partitions.includes(command.partition)
    const ok = given.filter(({ ending }) => ending.done !== undefined)
    for (const { at: armedAt, partitions } of done.filter(({ isArming }) => isArming)) {
      for (const disarm of ok.filter(
        ({ command }) => command.state === 'DISARM' && covers(command, partitions),
      )) {
        if ((disarm.ending.at ?? 0) >= armedAt) continue
        const later = given.slice(given.indexOf(disarm) + 1)
        const isWanted = later.some(
          ({ command }) => command.state !== 'DISARM' && covers(command, partitions),
        )
        assert.ok(isWanted, 'armed after a later disarm was reported done')
      }
    }
    for (const { command, at: since, ending } of ok.filter(({ command }) => command.state !== 'DISARM')) {
      const isDone = done.some(
        (deed) =>
          deed.isArming &&
          covers(command, deed.partitions) &&
          (deed.at >= since - 1000 || ending.done?.view.already) &&
          deed.at <= (ending.at ?? 0),
      )
      assert.ok(isDone, `${command.state} of ${command.partition} was reported done and was not`)
    }

    const last = await at.run(setState('DISARM', wholePanel))
    assert.ok(last.done, last.error?.message)
    await at.pass(3000)
    assert.deepEqual(at.states, ['DISARM', 'DISARM', 'DISARM'])
    assert.deepEqual(at.simulator.defects, [])
  }

  it(`executes no command twice, never arms after a disarm that succeeded, and reports success only for executed commands, in ${numRuns} sequences (SEED=${seed})`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        at = await CommandedPanel.open()
        try {
          await check(steps)
        } finally {
          await at.close()
        }
      }),
      { numRuns, seed },
    )).timeout(1_800_000)
}
