import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { hour } from '../../src/duration.ts'
import type { SetState } from '../../src/panel/commands/command.ts'
import type { Fault, RequestContext } from '../../src/simulator/faults/active-faults.ts'
import { hang, reset } from '../../src/simulator/faults/network-faults.ts'
import { emptyBody, status } from '../../src/simulator/faults/response-faults.ts'
import {
  commandLost,
  panelRefuses,
  slowPanel,
  tokenRevoked,
} from '../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import type { ResponseWriter } from '../../src/simulator/http/response-writer.ts'
import { seed } from '../mocha/seed.ts'
import { type CommandEnd, CommandedPanel, setState } from '../panel/commanded-panel.ts'
import { NamedFaults } from './named-faults.ts'

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

/** The records of bypasses matter only on a panel on which a bypass outlives the disarm. */
const keepsBypass = { panelOptions: { keepsBypass: true } }

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
  const at = await CommandedPanel.open(keepsBypass)
  try {
    at.simulated.bypass(8, true)
    for (const zone of cut.zones) at.simulated.open(zone)
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
    const ending: CommandEnd = at.command(armingOf(cut))
    await at.harness.time.until(
      () => requests >= cut.request || ending.at !== undefined,
      () => `request ${cut.request} or the end of the command`,
      Number.POSITIVE_INFINITY,
    )
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
  const content = await readFile(at.bypassFile, 'utf8').catch(() => '')
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
      { numRuns, seed },
    )
  }).timeout(1_800_000)
}

/** A fault of the service during an arming with bypass. */
interface Disturbance {
  fault: string
  operation: string
  /** Requests that are answered before. */
  after: number
}

const possible = new NamedFaults(
  () => reset(),
  () => reset('not done'),
  () => hang('done'),
  () => status(500),
  emptyBody,
  commandLost,
  () => panelRefuses('Jammed'),
  () => slowPanel(20),
  () => tokenRevoked('session'),
)

const disturbances = fc.record<Disturbance>({
  fault: possible.anyName,
  operation: fc.constantFrom('set_bypass_zone', 'set_state', 'process_status', 'status', 'devices'),
  after: fc.nat(2),
})

/** Starts a fault for one request of its operation. */
function disturb(at: CommandedPanel, { fault, operation, after }: Disturbance): void {
  let requests = 0
  const isDue = () => {
    requests += 1
    return requests === after + 1
  }
  const { name, answer, send } = possible.make(fault)
  at.simulator.faults.start(
    {
      name,
      ...(answer && {
        answer: (getOriginal: () => HttpResponse, context: RequestContext) =>
          isDue() ? answer(getOriginal, context) : getOriginal(),
      }),
      ...(send && {
        send: (getResponse: () => HttpResponse, writer: ResponseWriter) =>
          isDue() ? send(getResponse, writer) : writer.send(getResponse()),
      }),
    },
    { operation },
  )
}

/** Adds a test of the promise over random faults, disarms and stops of the flow, for `numRuns` sequences. */
export function testDisturbances(numRuns: number): void {
  const sequences = fc.record({
    zones: fc.subarray([1, 2, 3], { minLength: 1 }),
    restoreBypass: fc.boolean(),
    faults: fc.array(disturbances, { maxLength: 3 }),
    /** Seconds until a disarm, and until the flow stops. */
    disarmAfter: fc.option(fc.integer({ min: 0, max: 20 })),
    stopAfter: fc.option(fc.integer({ min: 0, max: 20 })),
  })
  it(`is armed with exactly its recorded bypasses or leaves none, over ${numRuns} random faults, disarms and stops of the flow (SEED=${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async ({ zones, restoreBypass, faults, disarmAfter, stopAfter }) => {
        const at = await CommandedPanel.open(keepsBypass)
        const cut: Cut = { zones, state: 'AWAY', restoreBypass, request: 0, isDone: false, seconds: 0 }
        try {
          at.simulated.bypass(8, true)
          for (const zone of zones) at.simulated.open(zone)
          for (const fault of faults) disturb(at, fault)
          const flow = new AbortController()
          const endings = [at.command(armingOf(cut), flow.signal)]
          const moments = [disarmAfter ?? 99, stopAfter ?? 99].map((seconds) => seconds * 1000)
          const [disarmAt = 0, stopAt = 0] = moments
          await at.pass(Math.min(...moments, 30_000))
          if (stopAt < disarmAt) flow.abort()
          if (disarmAt <= stopAt && disarmAfter !== null) endings.push(at.command(setState('DISARM')))
          await at.waitFor(...endings)
          at.simulator.faults.clear()
          await at.pass(3 * hour)
          // A disarm after the arming leaves the bypasses, if they are not to be taken back.
          const [arming, disarm] = endings
          const isLeft = !restoreBypass && arming?.done && disarm?.done && at.states[0] === 'DISARM'
          if (!isLeft) await requireSettled(at, cut)
        } finally {
          await at.panel.close()
          await at.close()
        }
      }),
      { numRuns, seed },
    )
  }).timeout(1_800_000)
}

function armingOf({ state, restoreBypass }: Cut): SetState {
  return { ...setState(state), openZones: 'bypass', restoreBypass }
}
