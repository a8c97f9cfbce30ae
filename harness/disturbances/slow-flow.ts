import type fc from 'fast-check'
import { type LastingDisturbance, lastingDisturbance } from './lasting-disturbance.ts'
import { lengths } from './lengths.ts'

/** Milliseconds that a message takes in a slow flow. */
export const slowMessageTime = 25

/** Returns a flow that needs 25 ms for each message. */
export function slowFlow(lasts: number): LastingDisturbance {
  return lastingDisturbance(`a flow that needs ${slowMessageTime} ms a message`, lasts, ({ flow }, signal) =>
    flow.slowness.add(slowMessageTime, signal),
  )
}

/** An arbitrary for slow flows. */
export const slowFlows: fc.Arbitrary<LastingDisturbance> = lengths.map(slowFlow)
