import { asKeyholderError } from '../../service/error.ts'

/** Calls listeners. What one throws is a defect of it: it is logged, and neither the others nor the caller notice. */
export function notify<A extends unknown[]>(listeners: Iterable<(...args: A) => void>, ...args: A): void {
  for (const listener of [...listeners]) {
    try {
      listener(...args)
    } catch (thrown) {
      asKeyholderError(thrown)
    }
  }
}
