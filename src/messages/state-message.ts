import { secondsUntil } from '../panel/exit-delays.ts'
import type { ActiveAlarm, PartitionState, StateView } from '../panel/state.ts'
import { type Message, message, type Source } from './source.ts'
import { homeKitNumber, inVocabulary, type Vocabulary } from './vocabularies.ts'
import type { Which } from './which.ts'

/** What a flow wants to hear of the state. */
export interface StateChoice {
  /** Partition ids; empty means all. */
  partitions: readonly number[]
  vocabulary: Vocabulary
}

/** The state of one partition, on the topic `<panel>/partition/<id>`; the payload is in the chosen vocabulary. */
export interface StateMessage extends Message<string | number> {
  state: {
    /** The native word, whatever the vocabulary. */
    value: string
    /** The native word before this one; null while it is not known. */
    previous: string | null
    status: string
    ready: boolean | null
    options: string[]
    /** States that may be requested now. */
    settable: string[]
    /** Seconds, while the exit delay runs those that are left; null where the service does not say. */
    exitDelay: number | null
    alarms: ActiveAlarm[]
    inferred: boolean
  }
  partition: { id: number; name: string; active: boolean }
}

interface Known {
  value: string
  previous: string | null
  alarms: ActiveAlarm[]
  /** The last number HomeKit had for it; null before there was any. */
  homeKit: number | null
}

/** Tells a flow the states of the partitions, and remembers them to know what changed. */
export class StateReport {
  readonly #choice: StateChoice
  readonly #known = new Map<number, Known>()
  #begun = false

  constructor(choice: StateChoice) {
    this.#choice = choice
  }

  /**
   * Takes in the state of the moment and answers with a message for each partition that `which` asks for.
   *
   * A change is another value or another set of alarms; a partition first seen in a later call is one too.
   * The first call has nothing to compare with, so nothing in it is a change. `previous` is the last value
   * that was not the present one, whether or not it was told.
   * @param now milliseconds of the monotonic clock
   */
  messages(view: StateView, source: Source, which: Which, now: number): StateMessage[] {
    const { partitions, vocabulary } = this.#choice
    const told: StateMessage[] = []
    for (const partition of view.partitions) {
      if (partitions.length > 0 && !partitions.includes(partition.id)) continue
      const before = this.#known.get(partition.id)
      const known = follow(before, partition)
      this.#known.set(partition.id, known)
      const changed = before === undefined ? this.#begun : differs(before, known)
      if (which === 'all' || (which === 'changed' && changed)) {
        told.push(stateMessage(partition, known, exitDelayAt(partition, now), vocabulary, source))
      }
    }
    this.#begun = true
    return told
  }
}

function follow(before: Known | undefined, { value, alarms }: PartitionState): Known {
  return {
    value,
    previous: (before?.value === value ? before.previous : before?.value) ?? null,
    alarms,
    homeKit: homeKitNumber(value) ?? before?.homeKit ?? null,
  }
}

function differs(before: Known, now: Known): boolean {
  return before.value !== now.value || asSet(before.alarms) !== asSet(now.alarms)
}

/** A text that is the same for the same alarms, whatever order the service lists them in. */
function asSet(alarms: ActiveAlarm[]): string {
  return alarms
    .map((alarm) => JSON.stringify(alarm))
    .sort()
    .join()
}

/** Seconds: while the partition is being armed those that are left, else those it is set up with. */
function exitDelayAt({ value, exitDelay, exitUntil }: PartitionState, now: number): number | null {
  return value === 'ARMING' && exitUntil !== null ? secondsUntil(exitUntil, now) : exitDelay
}

function stateMessage(
  partition: PartitionState,
  { previous, homeKit }: Known,
  exitDelay: number | null,
  vocabulary: Vocabulary,
  source: Source,
): StateMessage {
  const { id, name, active, value, status, ready, options, settable, alarms, inferred } = partition
  return {
    ...message(source, `partition/${id}`, inVocabulary(vocabulary, value, homeKit)),
    state: {
      value,
      previous,
      status,
      ready,
      options: [...options],
      settable: [...settable],
      exitDelay,
      alarms: structuredClone(alarms),
      inferred,
    },
    partition: { id, name, active },
  }
}
