import type { ReadOptions } from '../account/requests/request.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../service/error.ts'

/** The outcome of a poll: the code of its failure, if it has failed. */
export type PollOutcome = 'answered' | ErrorCode

/** A part of the panel that is polled for itself. */
export type PolledWork = 'state' | 'devices' | 'events'

/** A node that gets messages from a panel: on one instance at a time, or on each of them. */
export interface DeliveringNode {
  readonly id: string
  readonly instances: 'one' | 'every'
}

/** Thrown by what only the holder of a lease may do, after the lease was lost. */
export class LeaseLost {}

/**
 * The right to do what only one process at a time may do, such as to poll a panel.
 *
 * A process that holds it may lose it at any time. Look at `isHeld` right before each step.
 */
export interface Lease {
  readonly isHeld: boolean
  /** The name of the process that holds it, for display; undefined if it is this one or unknown. */
  readonly holder: string | undefined

  /** The reason why nobody can know who holds it; undefined if it is known, and for a process that is alone. */
  readonly failure?: KeyholderError | undefined

  /**
   * The reason why the polls of this process failed until it passed the panel to another one; undefined unless that was
   * a short time ago.
   */
  readonly ownFailure?: ErrorCode | undefined

  /** The reason why the polls of the process that holds it fail, as far as known. */
  readonly holderFailure?: ErrorCode | undefined

  /** Notes that this process wants the lease. Returns a function that ends the wish; the last one gives the lease up. */
  want(): () => void

  /**
   * Calls `listener` when `isHeld`, `holder`, `failure` or a reason has changed; after each loss at least once while `isHeld` is false.
   * Returns a function that ends this.
   */
  onChange(listener: () => void): () => void

  /**
   * Notes that a work of the holder begins, such as a poll; call `end` after it. Returns the milliseconds until it may begin,
   * because another process has begun it a short time ago: 0 if it has begun now, infinite if the lease is not held, or
   * nobody knows. Never rejects.
   * @param work its name
   * @param minGap milliseconds that must have passed since another process has begun it
   * @param minGapAfterKill the same if that process was killed, or has left the work open; 0 by default
   */
  begin(work: string, minGap: number, minGapAfterKill?: number): number | Promise<number>

  /**
   * Notes that a work has ended that `begin` has allowed; the lease may then be passed on.
   * @param outcome of a poll; undefined if it was aborted
   * @param age milliseconds from the request whose answer it has used to its begin; negative if that was sent later
   */
  end(work: string, outcome?: PollOutcome, age?: number): void

  /**
   * Keeps the lease from being passed on, because what was sent is not confirmed yet, until the returned function is
   * called. It can still be lost.
   */
  keep?(): () => void
}

/**
 * A word between the process that polls and those that follow, which may be missed: the answers of a poll were
 * published, with the milliseconds until the next ones, a poll has failed with a code, a process follows from now on, or
 * the source changes.
 */
export type Hint = `answers:${number}` | `failure:${string}` | 'follower' | 'change'

/**
 * The lease of polls. Other processes that deliver the same part of a panel to their nodes follow: they take the
 * answers that the holder publishes.
 */
export interface PollLease extends Lease {
  /** The name of the polls for the answer store; undefined for a process that is alone. */
  readonly answersOf: string | undefined

  /**
   * Returns the milliseconds between polls that the quickest follower needs, as the latest `begin` has learned;
   * undefined without followers.
   */
  followedEvery(): number | undefined

  /**
   * Begins to follow. Returns a function to call with the milliseconds between the polls that this process needs, again
   * whenever they change, and with undefined at the end.
   */
  follow(): (every: number | undefined) => void

  /** Tells a word to the other processes. */
  tell(hint: Hint): void

  /** Calls `listener` with each word of another process. Returns a function that ends this. */
  onHint(listener: (hint: Hint) => void): () => void
}

const nothing = () => {}
const endOfNothing = () => nothing
const atOnce = () => 0
const never = () => undefined

/** The lease of a process that is alone: it always holds it, and nobody follows. */
export const lastingLease: PollLease = {
  isHeld: true,
  holder: undefined,
  want: endOfNothing,
  onChange: endOfNothing,
  begin: atOnce,
  end: nothing,
  answersOf: undefined,
  followedEvery: never,
  follow: endOfNothing,
  tell: nothing,
  onHint: endOfNothing,
}

/** The values that were told to a node, as they were saved. */
export interface Told {
  readonly told: unknown
  /** True if this process has saved it, or one before it. */
  readonly isOwn: boolean
}

/** The store of what was told to a node about a part of the panel, for the process that delivers to it next. */
export interface ToldStore {
  /** True while this process delivers to the node. */
  readonly isHeld: boolean
  /** Returns what was saved last; undefined if nothing is known. Never rejects. */
  load(): Promise<Told | undefined>
  /** Saves what can be a JSON text, if this process delivers to the node. Never rejects. */
  save(told: unknown): Promise<void>
}

/** The use of the answers that processes publish for each other; empty for a process that shares none. */
type Sharing = Pick<ReadOptions, 'share'>

/** Returns the option of a request whose answer is published, if this process polls and another one follows. */
export function publishing({ answersOf, followedEvery, isHeld }: PollLease): Sharing {
  if (answersOf === undefined || followedEvery() === undefined || !isHeld) return {}
  return { share: { as: 'publish', answersOf } }
}

/**
 * Returns the option of a request that takes the answer that another process has published.
 * @param interval milliseconds between the polls that this process needs
 */
export function following({ answersOf }: PollLease, interval: number): Sharing {
  // The process that polls does it as often as the quickest follower needs.
  return answersOf === undefined ? {} : { share: { as: 'follow', answersOf, maxAge: 1.5 * interval } }
}

/** Returns the milliseconds between polls that a hint about published answers tells; undefined for another hint. */
export function intervalIn(hint: Hint): number | undefined {
  return hint.startsWith('answers:') ? Number(hint.slice('answers:'.length)) : undefined
}

/**
 * Returns the error for a process that follows polls of which one has failed; undefined for another hint. The sentence of
 * the process that polls may name a host, so it is not shared.
 * @param holder the name of the process that polls, if it is known
 */
export function failureIn(hint: Hint, holder = 'of this cluster'): KeyholderError | undefined {
  const code = errorCodes.find((one) => hint === `failure:${one}`)
  if (code === undefined) return undefined
  const sentence = `The Node-RED instance ${holder} polls this panel for this node, and its polls fail. The log of that instance has the details.`
  return new KeyholderError(code, sentence)
}
