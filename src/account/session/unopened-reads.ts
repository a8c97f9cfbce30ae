import { hour } from '../../duration.ts'
import { KeyholderError } from '../../service/error.ts'

/**
 * Remembers the operations that a service answers only for an opened panel, although the interface
 * specification (5.4) lists them with the user token alone.
 *
 * Such a service refuses the user token alone as if it had expired, so each further attempt would cost a
 * sign-in.
 */
export class UnopenedReads {
  readonly #refusedUntil = new Map<string, number>()

  /** Notes that the service refused an operation that was sent with a new user token alone. */
  noteRefusal(operation: string, now: number): void {
    this.#refusedUntil.set(operation, now + hour)
  }

  /** Returns true if an operation was refused within the last hour. */
  isRefused(operation: string, now: number): boolean {
    return now < (this.#refusedUntil.get(operation) ?? Number.NEGATIVE_INFINITY)
  }
}

/** Returns the error for an operation that cannot be answered before a panel is opened. */
export function panelNeeded(operation: string): KeyholderError {
  return new KeyholderError(
    'NOT_CONFIGURED',
    `Panel: the service answers "${operation}" only for a panel. Choose one in the node.`,
  )
}

/** Returns the error for a panel that cannot be opened, because the service has no operation for it. */
export function panelNotOpened(operation: string, opening: KeyholderError, panels: number): KeyholderError {
  const { status } = opening
  const cause =
    panels > 1
      ? `The account has ${panels} panels, and the service has no operation to open one of them, so "${operation}" could be about any`
      : `The service answers "${operation}" only for an opened panel, and has no operation to open one`
  return new KeyholderError('NOT_FOUND', `${cause}. Ask your provider.`, { status })
}
