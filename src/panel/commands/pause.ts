import type { Clock } from '../../clock.ts'
import { KeyholderError } from '../../service/error.ts'
import { hasCode } from '../../service/error-code.ts'

/**
 * Resolves after `ms` milliseconds.
 * @throws KeyholderError CLOSED as soon as the signal is aborted
 */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', end)
      resolve()
    })
    function end(): void {
      cancel()
      reject(closedError())
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/** Returns the error for a node that was closed while it waited. */
export function closedError(): KeyholderError {
  return new KeyholderError('CLOSED', 'The node was closed while it waited.')
}

/** Returns true if something ended because its node was closed. */
export function isClosed(thrown: unknown): boolean {
  return hasCode(thrown, 'CLOSED')
}
