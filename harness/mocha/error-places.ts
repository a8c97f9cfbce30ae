import { pathToFileURL } from 'node:url'
import { KeyholderError, noteErrorsWith } from '../../src/service/error.ts'
import { callsIn, callsOfWait } from '../clock/in-vain.ts'

/** Of each error that is still known, an object whose `stack` has the calls that led to it. */
const traces = new WeakMap<Error, { stack?: string }>()

/** Notes from now on where each `KeyholderError` is made; the errors stay without a stack, as in the product. */
export function noteErrorPlaces(): void {
  noteErrorsWith((error) => {
    const trace = {}
    // The text is made when somebody reads it.
    Error.captureStackTrace(trace, KeyholderError)
    traces.set(error, trace)
  })
}

/**
 * Shows where an error of a failed test comes from: the calls that a `KeyholderError` lacks, and the wait that ended with it.
 * @param file the path of the test, which is named if no call is in it: beside others, mocha does not tell it
 */
export function showPlace(error: unknown, file?: string): void {
  if (!(error instanceof Error)) return
  const { name, message, stack } = error
  const lines = stack?.split('\n') ?? [`${name}: ${message}`, ...callsIn(traces.get(error) ?? {})]
  lines.push(...callsOfWait(error).filter((line) => !lines.includes(line)))
  const { href } = pathToFileURL(file ?? '')
  if (file !== undefined && !lines.join().includes(href)) lines.push(`    at a test (${href})`)
  Object.defineProperty(error, 'stack', { value: lines.join('\n'), configurable: true, writable: true })
  showPlace(error.cause)
}
