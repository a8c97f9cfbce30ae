import type { Answer } from '../../account/answer.ts'
import { second } from '../../duration.ts'
import { bundled } from '../../service/catalogue/en-us.ts'
import { isClosed } from '../../service/error.ts'
import { isInMemory } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { concerns, isNight } from '../../service/responses/status.ts'
import { bypassOfZone } from '../devices/device.ts'
import { chronological, hash } from '../events/event-order.ts'
import { type AnswerAge, type AnswerTimes, isKept, madeAt } from '../snapshot.ts'
import { type Evidence, evidenceOf } from '../state/state-changes.ts'
import { type Command, isDisarm, type SetState } from './command.ts'
import { type CurrentState, describeTargets, type Situation, targets } from './current-state.ts'
import { mayBring, mayUndo, type OpenEffect } from './open-effects.ts'

/**
 * Milliseconds between two answers that show together that the panel is so already: a service may show a change some seconds
 * late.
 */
export const minApart = 5 * second

/** The answers about a panel at one moment, as far as they were asked for. */
export interface Seen {
  situation?: Situation | undefined
  devices?: readonly Device[] | undefined
}

/**
 * Returns true if answers show the effect of a command: the commanded partitions are in the state, or in the exit delay to
 * it, with all options; or the zone's bypass is as commanded. No answer shows a siren.
 */
export function shows(command: Command, { situation, devices }: Seen): boolean {
  switch (command.action) {
    case 'set_state':
      return situation !== undefined && showsState(command, situation) && !lacksOption(command, situation)
    case 'bypass':
      return bypassOfZone(command.zone, devices ?? []) === command.enabled
    default:
      return false
  }
}

/** Returns true if the commanded partitions are in the commanded state, whatever its options. */
export function showsState(
  { partition, state }: Pick<SetState, 'partition' | 'state'>,
  situation: Situation,
): boolean {
  const partitions = targets(situation, partition)
  return partitions.length > 0 && partitions.every((one) => one.state === state)
}

function lacksOption({ partition, options }: SetState, situation: Situation): boolean {
  return targets(situation, partition).some((one) => !options.every((word) => one.options.includes(word)))
}

/** Returns true if a partition is armed for the night, or not, unlike commanded: that is another state in other words. */
function differsInNight({ partition, state, options }: SetState, situation: Situation): boolean {
  return targets(situation, partition).some(
    (one) => isNight(one.state, one.options) !== isNight(state, options),
  )
}

/** The facts about what a command requests from before it was sent. */
export interface Before {
  /**
   * True if the effect showed, if an earlier command may bring it, or if nothing is known: that it shows afterwards proves
   * nothing.
   */
  readonly showed: boolean
  /** True if an answer has shown the effect, and no earlier command may end it. */
  readonly held: boolean
  /** True if an earlier command may end the effect, or a siren that a flow has turned on may sound. */
  readonly isDisturbed: boolean
  /** The earlier commands of which an event like that of this command may still come. */
  readonly awaitedEvents: number
  /** For a disarm, false if the list of alarms has an active one; undefined if that is not known. */
  readonly isQuiet?: boolean | undefined
  /** The time at which the answer was made, in milliseconds of the monotonic clock. */
  readonly askedAt: number
  /** The state before the command of what it changes, as a text; undefined if that is not known. */
  readonly outline: string | undefined
}

/** Nothing is known of the time before a command. */
export const nothingKnownBefore: Before = {
  showed: true,
  held: false,
  isDisturbed: false,
  awaitedEvents: 0,
  askedAt: Number.NEGATIVE_INFINITY,
  outline: undefined,
}

/**
 * Returns what is known from before a command.
 * @param open the effects of earlier commands that the answer has not shown
 */
export function before(
  command: Command,
  seen: Seen,
  open: readonly OpenEffect[],
  answer: AnswerAge,
): Omit<Before, 'isQuiet'> {
  const isShown = shows(command, seen)
  const brought = open.filter((effect) => mayBring(effect.command, command))
  const isDisturbed = open.some((effect) => mayUndo(effect.command, command))
  const isOtherNight =
    isShown &&
    command.action === 'set_state' &&
    seen.situation !== undefined &&
    differsInNight(command, seen.situation)
  return {
    showed: isShown || brought.length > 0 || isKept(answer),
    held: isShown && !isDisturbed && !isOtherNight && !isKept(answer),
    isDisturbed,
    awaitedEvents: brought.length,
    askedAt: madeAt(answer),
    outline: outlineOf(command, seen),
  }
}

/**
 * Returns those of the open effects that an answer shows, or of what came after them: it was made after the end of the
 * command, and differs from what showed before. What shows as before may be from before.
 */
export function shownOf(open: readonly OpenEffect[], seen: Seen, answer: AnswerAge): OpenEffect[] {
  return open.filter(({ command, endedAt, before }) => {
    const now = outlineOf(command, seen)
    const isLater = endedAt !== undefined && endedAt <= madeAt(answer)
    return isLater && before !== undefined && now !== undefined && now !== before
  })
}

/** Returns what answers show of what a command changes, as a text; undefined if they show nothing of it. */
function outlineOf(command: Command, { situation, devices }: Seen): string | undefined {
  if (command.action === 'bypass') {
    const enabled = bypassOfZone(command.zone, devices ?? [])
    return enabled === null ? undefined : `${enabled}`
  }
  if (command.action !== 'set_state' || situation === undefined) return undefined
  const partitions = targets(situation, command.partition)
  if (partitions.length === 0) return undefined
  return partitions.map(({ id, state, options }) => [id, state, ...options].join(' ')).join()
}

/** Returns true if a new event would prove a command that the state does not prove. */
export function mayEventProve(command: Command, { showed }: Before): boolean {
  return (
    command.action === 'set_state' && showed && command.options.length === 0 && proving.has(command.state)
  )
}

/** The meanings of events that prove a state; an event does not tell the options of an arming. */
const proving: ReadonlyMap<string, readonly Evidence[]> = new Map([
  ['AWAY', ['AWAY']],
  ['HOME', ['HOME']],
  ['DISARM', ['DISARM', 'CANCEL']],
])

/** The proof that a command was carried out. */
export interface Proven extends AnswerTimes {
  /** True if the panel was so before the command. */
  already: boolean
}

/** The facts that a proof needs beside the answers after the command. */
interface ProofOptions {
  before: Before
  /** Reads what the panel is now. */
  state: CurrentState
  /** The time after the command was sent, in milliseconds of the monotonic clock. */
  sentAt: number
  /** True if the service may not have received the command. */
  isDoubtful: boolean
  /** The events that were listed when the command was sent; undefined if they are not known. */
  eventsBefore: Promise<readonly PanelEvent[] | undefined>
}

/**
 * Finds the proof that a command was carried out, where its progress does not tell: a state that did not show before, or a
 * new event. What showed before proves nothing.
 */
export class Proof {
  readonly #command: Command
  readonly #options: ProofOptions
  /** The first list without an active alarm since the latest one that had one. */
  #quiet: AnswerTimes | undefined
  /** A sentence about what was shown last, with a space at its end; empty while nothing was. */
  lastShown = ''

  constructor(command: Command, options: ProofOptions) {
    this.#command = command
    this.#options = options
  }

  /** Looks once. Returns the proof; undefined if there is none, or if nothing can be read. */
  async look(): Promise<Proven | undefined> {
    const command = this.#command
    const { before } = this.#options
    const answer = await unlessFailed(this.#see())
    if (answer === undefined) return undefined
    const isShown = shows(command, answer.value)
    if (!before.showed) return isShown ? proven(answer) : undefined
    if (command.action !== 'set_state') return undefined
    const event = await unlessFailed(this.#newEvent(command, answer.value.situation))
    if (event !== undefined) return proven(event)
    return isDisarm(command) && isShown ? unlessFailed(this.#quietAfter()) : undefined
  }

  /** Returns true if the panel was so before a command that is done by its progress, and is so now. */
  async wasAlready(): Promise<boolean> {
    const { before, state, sentAt } = this.#options
    if (!before.held || before.isQuiet !== true) return false
    const [answer, list] = await Promise.all([unlessFailed(this.#see()), unlessFailed(state.alarms(sentAt))])
    if (answer === undefined || list === undefined || madeAt(list) < sentAt) return false
    return shows(this.#command, answer.value) && list.value.every(isInMemory)
  }

  /** Returns true if the panel shows the state without an option, though the progress says that the command is done. */
  async lacksOption(): Promise<boolean> {
    const command = this.#command
    if (command.action !== 'set_state' || command.options.length === 0) return false
    const situation = (await unlessFailed(this.#see()))?.value.situation
    return situation !== undefined && showsState(command, situation) && lacksOption(command, situation)
  }

  /** Returns what the panel is now; undefined if the answer was made before the command was sent. */
  async #see(): Promise<Answer<Seen> | undefined> {
    const { state, sentAt } = this.#options
    const command = this.#command
    if (command.action === 'bypass') {
      const devices = await state.devices(sentAt)
      return madeAt(devices) < sentAt ? undefined : { ...devices, value: { devices: devices.value } }
    }
    const situation = await state.situation(sentAt)
    if (madeAt(situation) < sentAt) return undefined
    if (command.action === 'set_state') this.lastShown = describeTargets(command, situation.value)
    return { ...situation, value: { situation: situation.value } }
  }

  /** Returns the times of a list that has a new event of each commanded partition. */
  async #newEvent(command: SetState, situation: Situation | undefined): Promise<AnswerTimes | undefined> {
    const { before, state, eventsBefore } = this.#options
    const wanted = proving.get(command.state)
    const known = await eventsBefore
    if (wanted === undefined || known === undefined) return undefined
    const list = await state.events()
    if (list === undefined) return undefined
    const keys = new Set(known.map((event) => hash(event)))
    const armings = chronological(list.value).filter((event) => isOfArming(evidenceOf(event, bundled)))
    const isProof = (event: PanelEvent | undefined) =>
      event !== undefined && !keys.has(hash(event)) && wanted.includes(evidenceOf(event, bundled))
    const ids = situation === undefined ? [] : targets(situation, command.partition).map(({ id }) => id)
    // Disarming after it, or arming, would be somebody else's.
    const isNewest = ids.every((id) =>
      isProof(armings.findLast(({ partitions }) => concerns(partitions, id))),
    )
    const isOfThis = armings.filter(isProof).length > before.awaitedEvents
    return ids.length > 0 && isNewest && isOfThis ? list : undefined
  }

  /**
   * Returns the proof that a disarmed panel is quiet: it was before and still is some seconds later, or two lists in a row have
   * no active alarm.
   */
  async #quietAfter(): Promise<Proven | undefined> {
    const { before, state, sentAt, isDoubtful } = this.#options
    // What may be armed, or sound, is not known from lists that do not show it yet.
    if (before.isDisturbed || (isDoubtful && before.isQuiet !== false)) return undefined
    const list = await state.alarms(sentAt)
    const listedAt = madeAt(list)
    if (listedAt < sentAt) return undefined
    if (!list.value.every(isInMemory)) {
      this.#quiet = undefined
      return undefined
    }
    if (before.held && before.isQuiet === true)
      return listedAt - before.askedAt >= minApart ? { ...list, already: true } : undefined
    const first = this.#quiet
    this.#quiet ??= list
    const pause = before.isQuiet === false ? 0 : minApart
    return first !== undefined && listedAt - first.at >= pause ? proven(list) : undefined
  }
}

function isOfArming(evidence: Evidence): boolean {
  return evidence !== null && evidence !== 'ALARM'
}

function proven({ fetchedAt, at, sentAt }: AnswerTimes): Proven {
  return { fetchedAt, at, sentAt, already: false }
}

/** Returns undefined if a read fails: what cannot be read proves nothing. @throws KeyholderError CLOSED */
async function unlessFailed<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (thrown) {
    if (isClosed(thrown)) throw thrown
    return undefined
  }
}
