import type { Kind, Reading, ReadingDevice } from '../panel/readings.ts'
import { type Message, message, type Source } from './source.ts'
import type { Which } from './which.ts'

/** What a flow wants to hear of the readings. */
export interface ReadingsChoice {
  /** Device ids; empty means all. */
  devices: readonly number[]
  /** Empty means all. */
  kinds: readonly Kind[]
  /** Smallest change of temperature that counts, in °C; 0 means any. */
  temperatureDelta: number
  /** Smallest change of brightness that counts, in lux; 0 means any. */
  brightnessDelta: number
}

type Value = Reading['value']

/** One reading, on the topic `<panel>/device/<label>/<kind>`; the payload is its value. */
export interface ReadingMessage extends Message<Value> {
  /** `previous` is the value before this one; null while it is not known. */
  reading: Omit<Reading, 'device'> & { previous: Value | null }
  device: ReadingDevice
}

interface Known {
  value: Value
  previous: Value | null
  measuredAtRaw: string
  /** The value last told, or else the first one seen: what a smallest change is measured from. */
  told: Value
}

/** Tells a flow the readings of the devices, and remembers them to know what changed. */
export class ReadingsReport {
  readonly #choice: ReadingsChoice
  readonly #known = new Map<string, Known>()
  #begun = false

  constructor(choice: ReadingsChoice) {
    this.#choice = choice
  }

  /**
   * Takes in the readings of the moment and answers with a message for each one that `which` asks for.
   *
   * A change is another value or another date of its own; with a smallest change set, the value alone
   * counts, measured from the one last told. A reading first seen in a later call is a change, one that is
   * missing is none, and it is remembered until it is back. The first call has nothing to compare with.
   */
  messages(readings: readonly Reading[], source: Source, which: Which): ReadingMessage[] {
    const told: ReadingMessage[] = []
    for (const reading of readings) {
      if (!this.#wants(reading)) continue
      const key = `${reading.device.id} ${reading.kind}`
      const before = this.#known.get(key)
      const now = follow(before, reading)
      const changed = before === undefined ? this.#begun : differs(before, now, this.#delta(reading.kind))
      if (which === 'all' || (which === 'changed' && changed)) {
        now.told = now.value
        told.push(readingMessage(reading, now, source))
      }
      this.#known.set(key, now)
    }
    this.#begun = true
    return told
  }

  #wants({ kind, device }: Reading): boolean {
    const { kinds, devices } = this.#choice
    return (
      (kinds.length === 0 || kinds.includes(kind)) && (devices.length === 0 || devices.includes(device.id))
    )
  }

  #delta(kind: Kind): number {
    if (kind === 'temperature') return this.#choice.temperatureDelta
    if (kind === 'brightness') return this.#choice.brightnessDelta
    return 0
  }
}

function follow(before: Known | undefined, { value, measuredAtRaw }: Reading): Known {
  const previous = before === undefined ? null : same(before.value, value) ? before.previous : before.value
  return { value, previous, measuredAtRaw, told: before?.told ?? value }
}

function differs(before: Known, now: Known, delta: number): boolean {
  if (delta > 0 && typeof now.value === 'number' && typeof now.told === 'number') {
    // Thinner than any sensor's step: in binary, 18.4 - 18.1 is a little less than 0.3.
    return Math.abs(now.value - now.told) >= delta - 1e-9
  }
  return !same(before.value, now.value) || before.measuredAtRaw !== now.measuredAtRaw
}

/** Equal values; lists in any order. */
function same(one: Value, other: Value): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  const words = new Set(other)
  return one.length === other.length && one.every((word) => words.has(word))
}

function readingMessage(
  { device, ...reading }: Reading,
  { previous }: Known,
  source: Source,
): ReadingMessage {
  return {
    ...message(source, `device/${device.label}/${reading.kind}`, copied(reading.value)),
    reading: { ...reading, value: copied(reading.value), previous: copied(previous) },
    device: { ...device, partitions: [...device.partitions] },
  }
}

/** A flow may change what it is given. By hand, since structuredClone takes ten times as long. */
function copied<V extends Value | null>(value: V): V {
  return Array.isArray(value) ? ([...value] as V) : value
}
