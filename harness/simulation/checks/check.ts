import type { FlowMessage } from '../../recorder.ts'
import type { BlindTimes } from '../blind-times.ts'
import type { House } from '../life.ts'
import type { LifeRecord } from '../life-record.ts'
import type { WorldRecord } from '../world/world-record.ts'

/** The facts that are known of the world and of the nodes, for the checks of what the nodes tell. */
export interface Surroundings {
  readonly house: House
  readonly world: WorldRecord
  readonly blind: BlindTimes
  /** Reports something that was told and is not true; once for each subject. */
  report(subject: string, sentence: string): void
  readonly record: Pick<LifeRecord, 'note'>
}

/** The facts that are known of one instance besides. Moments are milliseconds of the monotonic clock. */
export interface InstanceSurroundings extends Surroundings {
  /** Returns the latest moment up to another one at which nodes could see that the clock of the machine was set; -Infinity if none. */
  clockSetAt(now: number): number
  /** Returns true if a command was given to the nodes since a moment. */
  wasCommanded(since: number): boolean
  /** The paths of all files of the machine. */
  paths(): Iterable<string>
  /** Returns true if the disk failed at some moment since another one. */
  hasFailedSince(since: number): boolean
  /** Returns true if some files could not be removed at some moment since another one. */
  refusedRemoval(since: number): boolean
  /** The moments at which the watcher was called, the latest last. */
  calls(): readonly number[]
  /** The moment at which the events were read last; undefined if never. */
  eventsReadAt(before: number): number | undefined
}

/** The check of what one node tells. Moments are milliseconds of the monotonic clock. */
export interface NodeCheck {
  /** Takes a message that the node has sent. */
  hear(message: FlowMessage, now: number): void
  /** Compares what the node has told so far with the world. */
  compare(now: number): void
}
