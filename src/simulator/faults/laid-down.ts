import type { Fault } from './fault.ts'
import { latency } from './wire.ts'

/** What a test lays down for the next requests to an operation. */
export interface ScriptedAnswer {
  status: number
  /** An object goes out as JSON, text as it is; none: an empty body. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** For how many requests; 1 when absent, `Infinity` for all. */
  times?: number
  /** Milliseconds of the clock until the answer goes out; 0 when absent. */
  delay?: number
}

/** A fault that gives this answer, whatever was asked. */
export function laidDown(answer: ScriptedAnswer): Fault {
  return { ...(answer.delay ? latency(answer.delay) : {}), name: 'laid-down answer', answer: () => answer }
}
