import { asKeyholderError } from '../../service/error.ts'

/** Calls listeners. What one throws is a defect of it: it is logged, and neither the others nor the caller notice. */
export function notify(listeners: Iterable<() => void>): void {
  for (const listener of [...listeners]) {
    try {
      listener()
    } catch (thrown) {
      asKeyholderError(thrown)
    }
  }
}
