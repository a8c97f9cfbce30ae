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

/** The check of what one node tells. Moments are milliseconds of the monotonic clock. */
export interface NodeCheck {
  /** Takes a message that the node has sent. */
  hear(message: FlowMessage, now: number): void
  /** Compares what the node has told so far with the world. */
  compare(now: number): void
}
