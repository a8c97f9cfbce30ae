import fc from 'fast-check'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { atEnd, type LastingDisturbance, lastingDisturbance } from './lasting-disturbance.ts'
import { lengths, slowAnswerTimes } from './lengths.ts'

/** Returns a service whose answers take `ms` milliseconds: all of them, or those of one operation. */
export function slowService(ms: number, operation: string | undefined, lasts: number): LastingDisturbance {
  const what = `answers of the service (${operation ?? 'all'}) after ${ms} ms`
  return lastingDisturbance(what, lasts, ({ simulator, clock }, signal) => {
    const { send: sendLate } = latency(ms)
    const send: Fault['send'] = (getResponse, writer) => {
      if (signal.aborted) writer.send(getResponse())
      else sendLate?.(getResponse, writer)
    }
    const scope = operation === undefined ? {} : { operation }
    const end = simulator.faults.start({ name: what, needsConnection: false, send }, scope)
    // An end of the fault closes the connections on which answers are still on their way.
    atEnd(signal, () => clock.after(ms, end))
  })
}

/** An arbitrary for slow services. */
export const slowServices: fc.Arbitrary<LastingDisturbance> = fc
  .tuple(
    fc.constantFrom(...slowAnswerTimes),
    fc.constantFrom(undefined, 'status', 'alarms', 'events', 'devices', 'panel_info'),
    lengths,
  )
  .map((values) => slowService(...values))
