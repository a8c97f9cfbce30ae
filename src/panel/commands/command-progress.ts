import { second } from '../../duration.ts'
import type { ProcessStatus } from '../../service/responses/process-status.ts'

/** The progress of a command. */
export type Progress =
  /** The service has received the command, or the panel is executing it. */
  | { stage: 'running' }
  /** The panel has received the command; some services never report more (field fact). */
  | { stage: 'handled' }
  | { stage: 'done' }
  /** The panel's texts about the failure; they can contain anything. */
  | { stage: 'failed'; reasons: readonly string[] }
  /** A later command replaced this one at the panel. */
  | { stage: 'replaced' }
  /** The service no longer knows the command. */
  | { stage: 'lost' }

/** Returns the progress that the service reports for the command with this token. */
export function progressOf(processes: readonly ProcessStatus[], token: string): Progress {
  const own = processes.find((process) => process.token === token)
  if (own === undefined) return { stage: 'lost' }
  switch (own.status.toLowerCase()) {
    case 'succeeded':
      return { stage: 'done' }
    case 'handled':
      return { stage: 'handled' }
    case 'failed':
      if (/^replaced$/i.test(own.message)) return { stage: 'replaced' }
      return { stage: 'failed', reasons: [own.message, own.error].filter((text) => text !== '') }
    default:
      return { stage: 'running' }
  }
}

/** Milliseconds for which a command is followed after it was sent. */
export const maxFollowTime = 60 * second

/**
 * Seconds between requests for the progress; a panel mostly takes two to five, and the request budget is
 * small.
 */
const pauses = [1, 1, 2, 3, 5, 8, 13]

/** Returns the milliseconds to wait before the request for the progress with this number, counted from 0. */
export function delayBefore(look: number): number {
  return second * (pauses[look] ?? 20)
}
