import type { Clock } from '../../../src/clock.ts'
import { minute, second } from '../../../src/duration.ts'
import type { BlindTimes } from '../blind-times.ts'
import type { Disk, Stored } from '../disk/disk.ts'
import { type Deed, type DiskDeed, type KeptFile, keptFiles } from '../life.ts'

/** The folder of the product's files. */
const folder = '/machine/node-red/keyholder'

/** Milliseconds for which a start on a disk that cannot be written sends no password and no code. */
const sendsNothing = minute

/** Milliseconds between two attempts to read what a start could not read yet, and for their requests. */
const retrying = minute + 30 * second

/** The operations of the disk until the outcome of a request is saved, with those of other files at the same time. */
const operationsOfSaving = 12

/** The files without which a start sends nothing. */
const neededToStart: readonly KeptFile[] = ['rejections', 'attempts', 'destinations']

/** A fault of the disk. Moments are milliseconds of the monotonic clock. */
interface Fault {
  readonly deed: DiskDeed
  readonly from: number
  /** Infinity for ever. */
  readonly to: number
}

/** The disk of a machine, its faults, and what the nodes cannot know because of them. */
export class WatchedDisk {
  readonly disk: Disk
  readonly #clock: Clock
  readonly #blind: BlindTimes
  readonly #faults: Fault[] = []
  /** The start of the latest process. */
  #startedAt = Number.NEGATIVE_INFINITY

  constructor(disk: Disk, clock: Clock, blind: BlindTimes) {
    this.disk = disk
    this.#clock = clock
    this.#blind = blind
  }

  /** Lets the disk fail; returns false for another deed. */
  perform(deed: Deed): boolean {
    switch (deed.what) {
      case 'disk full':
      case 'disk read-only':
      case 'disk slow':
      case 'file unreadable':
      case 'folder denied':
        this.#fail(deed)
        return true
      default:
        return false
    }
  }

  /** Notes that a process starts. */
  noteStart(): void {
    this.#startedAt = this.#clock.monotonic()
  }

  /** Notes that nodes start. Returns the moment until which they may know nothing. */
  noteRead(): number {
    return this.#hideStart()
  }

  /** The moment at which the nodes have noted an event last. */
  get notedAt(): number {
    const cursors = [...this.disk.all()].filter(([path]) => keptFiles.cursor.test(path))
    return Math.max(Number.NEGATIVE_INFINITY, ...cursors.map(([, file]) => this.#momentOf(file)))
  }

  /** The moment since which nothing that the nodes have told could be noted; undefined if all of it was. */
  get unnotedSince(): number | undefined {
    const latest = this.notedAt
    const unnoted = this.#faults.filter((fault) => isUnwritable(fault) && fault.to > latest)
    return unnoted.length > 0 ? Math.min(...unnoted.map(({ from }) => from)) : undefined
  }

  /** True while nothing can be written. */
  get isUnwritable(): boolean {
    const { isReadOnly, room, denied } = this.disk.faults
    return isReadOnly || room === 0 || denied.size > 0
  }

  /** The moment since which a process that ends now could write no answer, which it tries again with each poll; undefined if it could. */
  get unwrittenSince(): number | undefined {
    const latest = this.#faults.at(-1)
    const isOver = latest === undefined || latest.to < this.#clock.monotonic() - retrying
    return !isOver && isUnwritable(latest) ? latest.from : undefined
  }

  /** The milliseconds in which the outcome of a request is saved, at the most: with what is written at the same time. */
  get savingTime(): number {
    return second + operationsOfSaving * this.disk.faults.delay
  }

  /** Returns true if it failed at some moment since another one. */
  hasFailedSince(since: number): boolean {
    return this.#faults.some(({ to }) => to >= since)
  }

  /** Returns true if some files could not be removed at some moment since another one. */
  refusedRemoval(since: number): boolean {
    const kinds: readonly Deed['what'][] = ['disk read-only', 'folder denied']
    return this.#faults.some(({ deed, to }) => kinds.includes(deed.what) && to >= since)
  }

  /** The end of the latest fault; Infinity while one lasts that has no end. */
  get wellSince(): number {
    return this.#faults.at(-1)?.to ?? Number.NEGATIVE_INFINITY
  }

  /** Returns true if a secret of each kind is noted as accepted, where the next start can read it. */
  get hasMarks(): boolean {
    const [marks] = this.#contents('accepted secrets')
    return marks !== undefined && ['"sign-in"', '"panel '].every((owner) => marks.includes(owner))
  }

  #fail(deed: DiskDeed): void {
    const now = this.#clock.monotonic()
    // Each fault begins and ends alone.
    if (this.#faults.some(({ to }) => to > now)) return
    const end = this.#begin(deed)
    const to = now + deed.lasts
    this.#faults.push({ deed, from: now, to })
    if (to < Number.POSITIVE_INFINITY) this.#clock.after(deed.lasts, end)
    // A process that has just started may not have sent all secrets yet.
    if (now - this.#startedAt < sendsNothing + retrying) this.#hideStart()
  }

  /** Begins a fault, and returns a function that ends it. */
  #begin(deed: DiskDeed): () => void {
    const { faults } = this.disk
    switch (deed.what) {
      case 'disk full':
        faults.room = deed.room
        return () => {
          faults.room = Number.POSITIVE_INFINITY
        }
      case 'disk read-only':
        faults.isReadOnly = true
        return () => {
          faults.isReadOnly = false
        }
      case 'disk slow':
        faults.delay = deed.delay
        return () => {
          faults.delay = 0
        }
      case 'file unreadable': {
        const paths = [...this.disk.files().keys()].filter((path) => keptFiles[deed.file].test(path))
        for (const path of paths) faults.unreadable.add(path)
        return () => faults.unreadable.clear()
      }
      case 'folder denied':
        faults.denied.set(folder, deed.access)
        return () => faults.denied.clear()
      default:
        return deed
    }
  }

  /** Adds the time in which nodes send no new secret, because nothing of it could be noted, and returns its end. */
  noteNewSecrets(): number {
    const now = this.#clock.monotonic()
    return this.#hideUntil(this.#faults.find((fault) => isUnwritable(fault) && fault.to > now)?.to ?? now)
  }

  /** Adds the time in which a start on a failing disk reads nothing from the service, and returns its end. */
  #hideStart(): number {
    const now = this.#clock.monotonic()
    const fault = this.#faults.find(({ to }) => to > now)
    return this.#hideUntil(fault === undefined ? now : this.#silentUntil(fault, now))
  }

  /** Adds the time from now until nodes have tried again what they could not do before a moment, and returns its end. */
  #hideUntil(until: number): number {
    const now = this.#clock.monotonic()
    if (until > now) this.#blind.add(now, until + retrying)
    return until + retrying
  }

  /** Returns the moment until which a start sends nothing to the service. */
  #silentUntil(fault: Fault, now: number): number {
    const { deed, to } = fault
    const isUnreadable =
      (deed.what === 'file unreadable' && neededToStart.includes(deed.file)) ||
      (deed.what === 'folder denied' && deed.access === 'access')
    if (isUnreadable || (isUnwritable(fault) && !this.hasMarks)) return to
    return isUnwritable(fault) ? Math.min(to, this.#startedAt + sendsNothing) : now
  }

  /** The position that nodes can read: the latest one, the one that the copy has from a moment, or none. */
  get readablePosition(): 'latest' | 'none' | number {
    const { denied, unreadable } = this.disk.faults
    const all = this.disk.all()
    const path = [...all.keys()].find((one) => keptFiles.cursor.test(one))
    const isReadable = (one: string) => denied.get(folder) !== 'access' && !unreadable.has(one)
    if (path === undefined || isReadable(path)) return 'latest'
    const copy = all.get(`${path}.previous`)
    return copy !== undefined && isReadable(`${path}.previous`) ? this.#momentOf(copy) : 'none'
  }

  /** Returns the moment at which a file was written. */
  #momentOf({ modified }: Stored): number {
    return modified - this.#clock.wall() + this.#clock.monotonic()
  }

  #contents(file: KeptFile): string[] {
    const { denied, unreadable } = this.disk.faults
    if (denied.get(folder) === 'access') return []
    return [...this.disk.files()].flatMap(([path, content]) =>
      keptFiles[file].test(path) && !unreadable.has(path) ? [content.toString()] : [],
    )
  }
}

function isUnwritable({ deed }: Fault): boolean {
  return ['disk full', 'disk read-only', 'folder denied'].includes(deed.what)
}
