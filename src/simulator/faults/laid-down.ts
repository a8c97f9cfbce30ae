import type { Fault } from './fault.ts'
import { latency } from './network-faults.ts'

/** A response that a test sets for the next requests to an operation. */
export interface ScriptedAnswer {
  status: number
  /** An object is sent as JSON, text unchanged; empty if absent. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Number of requests; 1 when absent, `Infinity` for all. */
  times?: number
  /** Delay of the response in milliseconds of the clock; 0 when absent. */
  delay?: number
}

/** Returns a fault that sends this response to any request. */
export function laidDown(answer: ScriptedAnswer): Fault {
  return { ...(answer.delay ? latency(answer.delay) : {}), name: 'laid-down answer', answer: () => answer }
}
