import type { ProcessStatus } from '../../service/process-status.ts'

/** How far a command has come. */
export type Progress =
  /** The service has it, or the panel is at it. */
  | { stage: 'running' }
  /** The panel has it; some services never say more (field fact). */
  | { stage: 'handled' }
  | { stage: 'done' }
  /** The texts that the panel gave for it; they may hold anything. */
  | { stage: 'failed'; reasons: readonly string[] }
  /** A later command took its place at the panel. */
  | { stage: 'replaced' }
  /** The service no longer knows the command. */
  | { stage: 'lost' }

/** What the service says of the command with this token. */
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

const second = 1000

/** Milliseconds for which a command is followed from its sending. */
export const followedFor = 60 * second

/** Seconds; a panel mostly takes two to five, and the budget is small. */
const pauses = [1, 1, 2, 3, 5, 8, 13]

/** Milliseconds to wait before the look with this number at how far it has come, counted from 0. */
export function pauseBefore(look: number): number {
  return second * (pauses[look] ?? 20)
}
