import type { ReadOptions } from '../../account/requests/request.ts'
import type { Clock } from '../../clock.ts'
import type { DeliveringNode, Lease, PollLease } from '../lease.ts'
import type { OutageReporter } from './outage-reporter.ts'

/** A view, with the times of its answer and of its request. */
export interface Dated {
  /** Milliseconds since 1970. */
  fetchedAt: number
  /** Milliseconds of the monotonic clock. */
  at: number
  sentAt: number
}

/** The source that a poller reads. */
export interface PolledSource<T> {
  /** The name of the source in the outage reporter. */
  name: string
  outages: OutageReporter
  clock: Clock
  /** Only its holder polls; who delivers to nodes without it follows. */
  lease: PollLease
  /** Returns the lease whose holder delivers to a node. */
  deliveryLease(node: DeliveringNode): Lease
  /** Milliseconds between polls, determined again for each poll. */
  interval(): number
  /** Milliseconds after which a new view is too old to rely on. */
  validFor(): number
  /** The position of the polls in the interval, from 0 up to 1. */
  phase: number
  /** The priority of the first poll after a start: with many panels, the first answers of all of them take long. */
  firstPriority: number
  load(options: ReadOptions): Promise<T>
  /** True if answers are cached: to read one again is no request then. */
  isCached: boolean
  /** Called if another process tells that the source changes, and this one polls. */
  noteChange?(): void
  /** Called after a view was delivered to the subscribers. */
  noteDelivery?(): void
}
