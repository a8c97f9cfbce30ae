import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { SetState } from '../../src/panel/commands/command.ts'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { seed } from '../mocha/seed.ts'
import { type CommandEnd, CommandedPanel } from '../panel/commanded-panel.ts'

/** Open zones, a command, and the request at which the process is killed. */
export interface Cut {
  zones: readonly number[]
  state: 'AWAY' | 'HOME'
  restoreBypass: boolean
  /** Number of the request, from 1. */
  request: number
  /** True if the service carries the request out before. */
  isDone: boolean
  /** Seconds until the next start. */
  seconds: number
}

/** The result of a cut. */
export interface AfterCut {
  /** The requests until the cut. */
  requests: number
  /** Absent if the command was over before. */
  wasKilled: boolean
}

const cuts = fc.record<Cut>({
  zones: fc.subarray([1, 2, 3], { minLength: 1 }),
  state: fc.constantFrom('AWAY', 'HOME'),
  restoreBypass: fc.boolean(),
  request: fc.integer({ min: 1, max: 30 }),
  isDone: fc.boolean(),
  seconds: fc.constantFrom(0, 5, 90),
})

/**
 * Kills a process at a request of an arming with bypass, starts the next one, and requires that the panel is armed with
 * exactly the recorded bypasses, or not armed and without any bypass of ours.
 */
export async function cutArming(cut: Cut): Promise<AfterCut> {
  const at = await CommandedPanel.open()
  try {
    at.simulated.bypass(8, true)
    for (const zone of cut.zones) at.simulated.open(zone)
    const command: SetState = {
      action: 'set_state',
      partition: 1,
      state: cut.state,
      options: [],
      openZones: 'bypass',
      restoreBypass: cut.restoreBypass,
    }
    let requests = 0
    const kill: Fault = {
      name: 'kill',
      send: (getResponse, writer) => {
        requests += 1
        if (requests < cut.request) return writer.send(getResponse())
        if (requests === cut.request) at.harness.killProcess()
        if (requests === cut.request && cut.isDone) getResponse()
      },
    }
    at.simulator.faults.start(kill)
    const ending: CommandEnd = at.command(command)
    await at.harness.time.until(() => requests >= cut.request || ending.at !== undefined)
    await at.settle()
    const wasKilled = requests >= cut.request
    if (wasKilled) {
      at.simulator.faults.clear()
      await at.pass(cut.seconds * 1000)
      const next = await at.restart()
      await at.pass(120_000)
      await requireSettled(at, cut)
      if (at.states[0] === cut.state) assert.match(at.said, /zones? /i)
      else if (at.sent.length > 0) assert.match(at.said, /was not carried out/)
      await next.close()
    } else await requireSettled(at, cut)
    return { requests, wasKilled }
  } finally {
    await at.panel.close()
    await at.close()
  }
}

async function requireSettled(at: CommandedPanel, cut: Cut): Promise<void> {
  const content = await readFile(join(at.harness.folder, 'bypasses-p1.json'), 'utf8').catch(() => '')
  const what = `${JSON.stringify(cut)}: ${at.said} ${at.sent}`
  if (at.states[0] === 'DISARM') return assert.equal(JSON.stringify([at.bypassed, content]), '[[8],""]', what)
  const [record] = JSON.parse(content).armings
  assert.equal(at.states[0], cut.state, what)
  assert.deepEqual(at.bypassed, [...cut.zones, 8], what)
  assert.deepEqual(
    [record.phase, record.zones, record.restore],
    ['armed', cut.zones, cut.restoreBypass],
    what,
  )
}

/** Adds a test of the promise of an arming with bypass over kills, for `numRuns` random cuts. */
export function testCuts(numRuns: number): void {
  it(`is armed with exactly its recorded bypasses or leaves none, over ${numRuns} random kills (SEED=${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async (cut) => {
        await cutArming(cut)
      }),
      { numRuns, seed, endOnFailure: true },
    )
  }).timeout(600_000)
}
