import type { Source } from '../panel/snapshot.ts'
import { secondsUntil } from '../panel/state/known-state.ts'
import {
  type ActiveAlarm,
  type ChangedBy,
  type PartitionState,
  type StateView,
  type Transports,
  unknownTransports,
} from '../panel/state/partition-state.ts'
import { isNight } from '../service/responses/status.ts'
import { type Message, message, type Which } from './message.ts'

/** The partitions that a flow wants to receive, and the vocabulary of their states. */
interface StateChoice {
  /** Partition ids; empty means all. */
  partitions: readonly number[]
  vocabulary: Vocabulary
}

/** A panel, with its ways to the service. */
type PanelWithTransports = Source['panel'] & { transports: Transports }

/** One partition's state, on the topic `<panel>/partition/<id>`; the payload is in the chosen vocabulary. */
export interface StateMessage extends Message<string | number, PanelWithTransports> {
  state: {
    /** The native word, independent of the vocabulary. */
    value: string
    /** The native word before this one; null while it is not known. */
    previous: string | null
    status: string
    ready: boolean | null
    options: string[]
    /** States that can be requested now. */
    settable: string[]
    /**
     * Seconds: the remaining ones during the exit delay, else the configured ones; null if the service does
     * not say.
     */
    exitDelay: number | null
    alarms: ActiveAlarm[]
    inferred: boolean
    /** The user who armed or disarmed the partition; null while no event is known that led to the value. */
    changedBy: ChangedBy | null
    /** True if the panel was armed although it was not ready, by the event of `changedBy`: it has left out what was open. */
    forced?: true
  }
  partition: { id: number; name: string; active: boolean }
}

interface KnownState {
  value: string
  previous: string | null
  alarms: ActiveAlarm[]
  /** The partition's last HomeKit number; null if it had none yet. */
  homeKit: number | null
}

/** Builds the messages about the states of the partitions, and remembers the states to detect changes. */
export class StateReport {
  readonly #choice: StateChoice
  readonly #known = new Map<number, KnownState>()
  #hasBegun = false

  constructor(choice: StateChoice) {
    this.#choice = choice
  }

  /** The values that were told, for the process that goes on. */
  get told(): unknown {
    return [...this.#known]
  }

  /** Goes on from what another process has told. */
  continueFrom(told: unknown): void {
    this.#known.clear()
    for (const [id, known] of told as [number, KnownState][]) this.#known.set(id, known)
    this.#hasBegun = true
  }

  /**
   * Processes the current state and returns a message for each partition that `which` selects.
   *
   * A change is another value or another set of alarms; a partition first seen in a later call is also a
   * change. The first call has nothing to compare with, so nothing in it is a change. `previous` is the last
   * value that differs from the current one, whether or not it was sent.
   * @param now milliseconds of the monotonic clock
   */
  messages(view: StateView, source: Source, which: Which, now: number): StateMessage[] {
    const { partitions, vocabulary } = this.#choice
    const { transports = unknownTransports } = view
    const messages: StateMessage[] = []
    for (const partition of view.partitions) {
      if (partitions.length > 0 && !partitions.includes(partition.id)) continue
      const before = this.#known.get(partition.id)
      const known = follow(before, partition)
      this.#known.set(partition.id, known)
      const hasChanged = () => (before === undefined ? this.#hasBegun : differs(before, known))
      if (which === 'all' || (which === 'changed' && hasChanged())) {
        messages.push(stateMessage(partition, known, now, vocabulary, source, transports))
      }
    }
    this.#hasBegun = true
    return messages
  }
}

function follow(before: KnownState | undefined, partition: PartitionState): KnownState {
  const { value, alarms } = partition
  return {
    value,
    previous: (before?.value === value ? before.previous : before?.value) ?? null,
    alarms,
    homeKit: homeKitNumber(commonWord(partition)) ?? before?.homeKit ?? null,
  }
}

function differs(before: KnownState, now: KnownState): boolean {
  return before.value !== now.value || asSet(before.alarms) !== asSet(now.alarms)
}

/** Returns a text that is the same for the same alarms, in whatever order the service lists them. */
function asSet(alarms: ActiveAlarm[]): string {
  return alarms
    .map((alarm) => JSON.stringify(alarm))
    .sort()
    .join()
}

function stateMessage(
  partition: PartitionState,
  { previous, homeKit }: KnownState,
  now: number,
  vocabulary: Vocabulary,
  source: Source,
  transports: Transports,
): StateMessage {
  const { id, name, active, value, status, ready, options, settable, alarms, inferred, changedBy } = partition
  const { exitDelay, exitUntil, isForced } = partition
  return {
    ...message(source, `partition/${id}`, inVocabulary(vocabulary, partition, homeKit)),
    panel: { ...source.panel, transports: { ...transports } },
    state: {
      value,
      previous,
      status,
      ready,
      options: [...options],
      settable: [...settable],
      exitDelay: value === 'ARMING' && exitUntil !== null ? secondsUntil(exitUntil, now) : exitDelay,
      alarms: structuredClone(alarms),
      inferred,
      changedBy: changedBy ? { ...changedBy } : null,
      ...(isForced && { forced: isForced }),
    },
    partition: { id, name, active },
  }
}

/** The vocabularies for states. */
export const vocabularies = ['native', 'home-assistant', 'homekit'] as const

/** One of the vocabularies. */
export type Vocabulary = (typeof vocabularies)[number]

/** The word for a panel's own armed state that no other panel has. */
const ownArmed = 'ARMED'

/**
 * Returns the native word that the other vocabularies have a word for: `NIGHT` also for HOME without entry delay, and
 * `ARMED` for an armed state that only this panel has, so that no armed house looks disarmed.
 */
export function commonWord({
  value,
  options,
  isArmed,
}: Pick<PartitionState, 'value' | 'options' | 'isArmed'>): string {
  if (isNight(value, options)) return 'NIGHT'
  return isArmed && !homeAssistantWords.has(value) && value !== 'PROGRAMMING' ? ownArmed : value
}

const homeAssistantWords: ReadonlyMap<string, string> = new Map([
  ['AWAY', 'armed_away'],
  ['HOME', 'armed_home'],
  ['NIGHT', 'armed_night'],
  [ownArmed, 'armed_custom_bypass'],
  ['DISARM', 'disarmed'],
  ['ENTRY_DELAY', 'pending'],
  ['ARMING', 'arming'],
  ['ALARM', 'triggered'],
])

/** Returns the word of Home Assistant's alarm control panel for a common word; `unknown` if there is none. */
export function homeAssistant(native: string): string {
  return homeAssistantWords.get(native) ?? 'unknown'
}

const homeKitNumbers: ReadonlyMap<string, number> = new Map([
  ['HOME', 0],
  ['AWAY', 1],
  ['NIGHT', 2],
  [ownArmed, 1],
  ['DISARM', 3],
  ['ALARM', 4],
])

/**
 * Returns the number of HomeKit's security system for a common word: 0 stay, 1 away, 2 night, 3 disarmed,
 * 4 triggered, else null.
 */
function homeKitNumber(native: string): number | null {
  return homeKitNumbers.get(native) ?? null
}

/**
 * Returns the number that HomeKit's security system receives for a common word.
 *
 * HomeKit has no delays and no unknown state. Such a state keeps `last`, the last number of the partition. If
 * there is none, an entry delay becomes away, because only an armed panel has an entry delay; anything else
 * becomes disarmed.
 */
function homeKit(native: string, last: number | null): number {
  return homeKitNumber(native) ?? last ?? (native === 'ENTRY_DELAY' ? 1 : 3)
}

/** Returns the state of a partition in a vocabulary; `last` is the partition's last HomeKit number. */
export function inVocabulary(
  vocabulary: Vocabulary,
  partition: Pick<PartitionState, 'value' | 'options' | 'isArmed'>,
  last: number | null,
): string | number {
  switch (vocabulary) {
    case 'native':
      return partition.value
    case 'home-assistant':
      return homeAssistant(commonWord(partition))
    case 'homekit':
      return homeKit(commonWord(partition), last)
  }
}

/** The words of all vocabularies that request a state, in capitals, each with the state that it requests. */
const requests: ReadonlyMap<string, string> = new Map([
  ...['AWAY', 'ARMED_AWAY', 'ARM_AWAY', '1'].map((word) => [word, 'AWAY'] as const),
  ...['HOME', 'ARMED_HOME', 'ARM_HOME', '0'].map((word) => [word, 'HOME'] as const),
  ...['NIGHT', 'ARMED_NIGHT', 'ARM_NIGHT', '2'].map((word) => [word, 'NIGHT'] as const),
  ...['DISARM', 'DISARMED', '3'].map((word) => [word, 'DISARM'] as const),
])

/** Words for states that a panel enters by itself, in capitals. */
const reports: ReadonlySet<string> = new Set([
  ...['ENTRY_DELAY', 'PROGRAMMING', 'ARMING', 'ALARM'],
  ...['PENDING', 'TRIGGERED', 'DISARMING'],
  '4',
])

/** The form of a state's name: capitals, perhaps a number. A word with more digits could be a user code. */
const nameForm = /^[A-Z][A-Z_]{1,38}\d?$/

/** The meaning of a word for a state. */
type StateWord = { request: string } | 'report' | 'unknown'

/**
 * Returns the state that a word of any vocabulary requests, `report` if it can only be reported, or
 * `unknown`. Any other word in capitals may be the name of a state that the panel defines itself.
 */
export function parseStateWord(word: string | number): StateWord {
  const trimmed = String(word).trim()
  const capitals = trimmed.toUpperCase()
  const request = requests.get(capitals)
  if (request !== undefined) return { request }
  if (reports.has(capitals)) return 'report'
  return nameForm.test(trimmed) ? { request: trimmed } : 'unknown'
}
