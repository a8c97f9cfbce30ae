import type { ReadingDevice } from '../panel/devices/device.ts'
import type { Reading, ReadingKind } from '../panel/devices/readings.ts'
import type { Source } from '../panel/snapshot.ts'
import { type Message, message, type Which } from './message.ts'

/** The readings that a flow wants to receive. */
export interface ReadingsChoice {
  /** Device ids; empty means all. */
  devices: readonly number[]
  /** Empty means all. */
  kinds: readonly ReadingKind[]
  /** The smallest change of a kind that counts, in its unit; 0 or absent means any. */
  deltas: Readonly<Partial<Record<ReadingKind, number>>>
}

type Value = Reading['value']

/** One reading, on the topic `<panel>/device/<label>/<kind>`; the payload is its value. */
export interface ReadingMessage extends Message<Value> {
  /** `previous` is the value before this one; null while it is not known. */
  reading: Omit<Reading, 'device' | 'isUnread'> & { previous: Value | null }
  device: ReadingDevice
}

interface KnownReading {
  value: Value
  previous: Value | null
  measuredAtRaw: string
  /** The last value sent, or else the first one seen; a smallest change is measured from it. */
  reported: Value
}

/** Builds the messages about the readings of the devices, and remembers the readings to detect changes. */
export class ReadingsReport {
  readonly #choice: ReadingsChoice
  readonly #known = new Map<string, KnownReading>()
  /** The readings that nobody has read yet. */
  readonly #unread = new Set<string>()
  /** The selection of readings that the first call has told. */
  #first: Which | undefined

  constructor(choice: ReadingsChoice) {
    this.#choice = choice
  }

  /** The values that were told, for the process that goes on. */
  get told(): unknown {
    return [...this.#known]
  }

  /** Goes on from what another process has told. */
  continueFrom(told: unknown): void {
    this.#known.clear()
    for (const [key, known] of told as [string, KnownReading][]) this.#known.set(key, known)
    this.#first = 'all'
  }

  /**
   * Processes the current readings and returns a message for each one that `which` selects.
   *
   * A change is another value or another date. If a smallest change is set, only the value counts, measured
   * from the last value sent. A reading first seen in a later call is a change. A missing reading is not a
   * change; it is remembered until it returns. The first call has nothing to compare with. A reading that nobody has
   * read yet is told when it is.
   */
  messages(readings: readonly Reading[], source: Source, which: Which): ReadingMessage[] {
    const messages: ReadingMessage[] = []
    for (const reading of readings) {
      if (!isChosen(reading, this.#choice)) continue
      const key = `${reading.device.id} ${reading.kind}`
      if (reading.isUnread) {
        this.#unread.add(key)
        continue
      }
      const before = this.#known.get(key)
      const now = follow(before, reading)
      // What is read somewhat later is told as all others were.
      const isNew = this.#unread.delete(key) ? this.#first !== 'none' : this.#first !== undefined
      const changed =
        before === undefined ? isNew : differs(before, now, this.#choice.deltas[reading.kind] ?? 0)
      if (which === 'all' || (which === 'changed' && changed)) {
        now.reported = now.value
        messages.push(readingMessage(reading, now, source))
      }
      this.#known.set(key, now)
    }
    this.#first ??= which
    return messages
  }
}

/** Returns true if the flow wants to receive the reading. */
export function isChosen({ kind, device }: Reading, { kinds, devices }: ReadingsChoice): boolean {
  return (kinds.length === 0 || kinds.includes(kind)) && (devices.length === 0 || devices.includes(device.id))
}

function follow(before: KnownReading | undefined, { value, measuredAtRaw }: Reading): KnownReading {
  const previous = before === undefined ? null : same(before.value, value) ? before.previous : before.value
  return { value, previous, measuredAtRaw, reported: before?.reported ?? value }
}

function differs(before: KnownReading, now: KnownReading, delta: number): boolean {
  if (delta > 0 && typeof now.value === 'number' && typeof now.reported === 'number') {
    // Smaller than any sensor's step: in binary, 18.4 - 18.1 is a little less than 0.3.
    return Math.abs(now.value - now.reported) >= delta - 1e-9
  }
  return !same(before.value, now.value) || before.measuredAtRaw !== now.measuredAtRaw
}

/** Returns true if the values are equal; the order of lists does not matter. */
function same(one: Value, other: Value): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  const words = new Set(other)
  return one.length === other.length && one.every((word) => words.has(word))
}

function readingMessage(
  { device, ...reading }: Reading,
  { previous }: KnownReading,
  source: Source,
): ReadingMessage {
  const { partitions, owner, parent } = device
  return {
    ...message(source, `device/${device.label}/${reading.kind}`, copied(reading.value)),
    reading: { ...reading, value: copied(reading.value), previous: copied(previous) },
    device: {
      ...device,
      partitions: [...partitions],
      owner: owner && { ...owner },
      parent: parent && { ...parent },
    },
  }
}

/** Copies a value, because a flow can change its messages. structuredClone would take ten times as long. */
function copied<V extends Value | null>(value: V): V {
  return Array.isArray(value) ? ([...value] as V) : value
}
