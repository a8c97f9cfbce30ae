import type { Clock } from '../../../src/clock.ts'
import type { Random } from '../../../src/simulator/random.ts'

/** A change of a content that the drive may not have yet: bytes at an offset, or a cut to a size. */
type Change = (Write | Cut) & { readonly monotonic: number; readonly wall: number }

interface Write {
  readonly offset: number
  readonly bytes: Buffer
}

interface Cut {
  readonly size: number
}

/**
 * The content of one file, whatever its names are: what programs read, what the drive has, and the changes between the two.
 *
 * A file system writes them to the drive when it likes, in any order, until a program asks for it (`fsync`, POSIX).
 */
export class StoredFile {
  readonly id: number
  /** The permissions, such as 0o600. */
  mode: number
  readonly #clock: Clock
  #content: Buffer = Buffer.alloc(0)
  #modified: number
  #durable = this.#content
  #durableModified: number
  #pending: Change[] = []

  constructor(id: number, mode: number, clock: Clock) {
    this.id = id
    this.mode = mode
    this.#clock = clock
    this.#modified = clock.wall()
    this.#durableModified = this.#modified
  }

  /** The content that programs read. Nobody may change these bytes. */
  get content(): Buffer {
    return this.#content
  }

  /** The time of the latest change, in milliseconds since 1970. */
  get modified(): number {
    return this.#modified
  }

  /** The number of changes that a power cut may undo. */
  get pending(): number {
    return this.#pending.length
  }

  write(offset: number, bytes: Buffer): void {
    if (bytes.length > 0) this.#change({ offset, bytes: Buffer.from(bytes) })
  }

  /** Shortens the content, or makes it longer with zero bytes. */
  resize(size: number): void {
    this.#change({ size })
  }

  /** Has the drive keep the content. */
  flush(): void {
    this.#pending = []
    this.#durable = this.#content
    this.#durableModified = this.#modified
  }

  /** Has the drive keep the changes of a time on the monotonic clock and those before. */
  settle(until: number): void {
    const younger = this.#pending.findIndex(({ monotonic }) => monotonic > until)
    const settled = this.#pending.splice(0, younger === -1 ? this.#pending.length : younger)
    for (const change of settled) this.#keep(change)
  }

  /**
   * Cuts the power: each pending write survives, is lost or is torn, whatever becomes of those before and after it. Bytes
   * that were never written are zero. A cut of the size is older for the drive than the writes after it, because the journal
   * has it.
   */
  cutPower(random: Random): void {
    const outcomes = this.#pending.map((change) => survivorOf(change, random))
    const lastSurvivor = outcomes.findLastIndex((outcome) => outcome !== undefined)
    for (const [index, change] of this.#pending.entries()) {
      const survivor = 'size' in change && index < lastSurvivor ? change : outcomes[index]
      if (survivor !== undefined) this.#keep(survivor)
    }
    this.#pending = []
    this.#content = this.#durable
    this.#modified = this.#durableModified
  }

  #change(change: Write | Cut): void {
    this.#modified = this.#clock.wall()
    this.#content = contentAfter(this.#content, change)
    this.#pending.push({ ...change, monotonic: this.#clock.monotonic(), wall: this.#modified })
  }

  #keep(change: Change): void {
    this.#durable = contentAfter(this.#durable, change)
    this.#durableModified = change.wall
  }
}

/** Returns what a power cut leaves of a change: all, nothing, the first bytes or the last bytes. */
function survivorOf(change: Change, random: Random): Change | undefined {
  const outcome = random.next()
  if (outcome < 0.35) return change
  if (outcome < 0.7 || 'size' in change || change.bytes.length < 2) return undefined
  const middle = random.between(1, change.bytes.length - 1)
  if (outcome < 0.9) return { ...change, bytes: change.bytes.subarray(0, middle) }
  return { ...change, offset: change.offset + middle, bytes: change.bytes.subarray(middle) }
}

/** Returns a content with a change; the content itself stays as it is. */
function contentAfter(content: Buffer, change: Write | Cut): Buffer {
  const end = 'size' in change ? change.size : Math.max(content.length, change.offset + change.bytes.length)
  const after = Buffer.alloc(end)
  content.copy(after)
  if ('bytes' in change) change.bytes.copy(after, change.offset)
  return after
}
