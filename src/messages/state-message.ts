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
import { type Message, message, type Which } from './message.ts'
import { commonWord, homeKitNumber, inVocabulary, type Vocabulary } from './state-words.ts'

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
