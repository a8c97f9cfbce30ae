import assert from 'node:assert/strict'
import fc from 'fast-check'
import { minute } from '../../src/duration.ts'
import type { SetState } from '../../src/panel/commands/command.ts'
import type { RequestContext } from '../../src/simulator/faults/active-faults.ts'
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
import { CommandedPanel, setState } from '../panel/commanded-panel.ts'
import { NamedFaults } from './named-faults.ts'

/** The zone that somebody has bypassed by hand. */
const byHand = 8

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

const sequences = fc.record({
  zones: fc.subarray([1, 2, 3], { minLength: 1 }),
  keepsBypass: fc.boolean(),
  faults: fc.array(disturbances, { maxLength: 3 }),
  /** Seconds until a disarm, and until the flow stops. */
  disarmAfter: fc.option(fc.integer({ min: 0, max: 20 })),
  stopAfter: fc.option(fc.integer({ min: 0, max: 20 })),
})

const armPastOpenZones: SetState = { ...setState('AWAY'), openZones: 'bypass' }

/**
 * Adds a test over random faults, disarms and stops of the flow, for `numRuns` sequences: an answer names what is bypassed, an
 * error names what may be, the bypass of somebody else stays, and nothing is sent when all has been told.
 */
export function testDisturbances(numRuns: number): void {
  it(`tells each zone that it leaves bypassed, over ${numRuns} random faults, disarms and stops of the flow (SEED=${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async ({ zones, keepsBypass, faults, disarmAfter, stopAfter }) => {
        const at = await CommandedPanel.open({ panelOptions: { keepsBypass } })
        try {
          at.setZoneType(1, 'PERIMETER')
          at.simulated.bypass(byHand, true)
          for (const zone of zones) at.simulated.open(zone)
          for (const fault of faults) disturb(at, fault)
          const flow = new AbortController()
          const arming = at.command(armPastOpenZones, flow.signal)
          const endings = [arming]
          const moments = [disarmAfter ?? 99, stopAfter ?? 99].map((seconds) => seconds * 1000)
          const [disarmAt = 0, stopAt = 0] = moments
          await at.pass(Math.min(...moments, 30_000))
          if (stopAt < disarmAt) flow.abort()
          if (disarmAt <= stopAt && disarmAfter !== null) endings.push(at.command(setState('DISARM')))
          await at.waitFor(...endings)
          await at.pass(10 * minute)
          const sent = at.sent.length
          await at.pass(3 * minute)
          assert.equal(at.sent.length, sent)
          const told = `${arming.error?.message} ${at.said}`
          const named = arming.done?.view.bypassed?.map(({ zone }) => zone)
          for (const zone of at.bypassed.filter((one) => one !== byHand)) {
            if (arming.done === undefined) assert.match(told, new RegExp(`\\(zone ${zone}\\)`))
            else assert.ok(named?.includes(zone) !== false, `${zone} of ${named}`)
          }
          if (keepsBypass || at.states[0] !== 'DISARM') assert.ok(at.bypassed.includes(byHand))
        } finally {
          await at.panel.close()
          await at.close()
        }
      }),
      { numRuns, seed },
    )
  }).timeout(1_800_000)
}
