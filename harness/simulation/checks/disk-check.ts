import { minute, second } from '../../../src/duration.ts'
import type { BlindTimes } from '../blind-times.ts'
import { StoredFile } from '../disk/stored-file.ts'
import type { WatchedDisk } from '../instance/watched-disk.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import type { SentRequest } from '../process/network.ts'
import type { SimulatedProcess } from '../process/simulated-process.ts'
import { isSignIn } from '../service/service-log.ts'

/** Milliseconds for which a start on a disk that cannot be written sends nothing. */
const sendsNothing = minute

/** Milliseconds after an event on such a disk in which the failure is told. */
const tellingTime = 30 * second

/** Milliseconds after the end of a failure in which it is told no more: the longest pause between two attempts, and a poll. */
const recoveryTime = 150 * second

/** The most copies of a damaged file: three, and one whose oldest could not be removed. */
const mostDamaged = 4

/** Words below a node for a file that cannot be written. */
const unwritable = /^cannot write/

/** The facts that the check must know besides the disk. */
interface DiskSurroundings {
  /** All requests of all processes so far. */
  readonly requests: readonly SentRequest[]
  readonly blind: BlindTimes
  secrets(): readonly string[]
  report(subject: string, sentence: string): void
}

/**
 * The rules for the files of a machine, whatever its disk does:
 *
 * - **secret in a file**: no file has a password, a code or a token.
 * - **owner only**: nobody else can read a file or its folder.
 * - **bounded files**: copies of damaged files do not heap up.
 * - **failure told**: when an event is told that cannot be noted, the nodes tell that too.
 * - **works again**: nothing is told of a failure that is over.
 * - **start without a disk**: a start that can note nothing sends nothing for a minute, and then no secret that was not accepted before.
 */
export class DiskCheck {
  readonly #disk: WatchedDisk
  readonly #of: DiskSurroundings
  /** The contents that were searched for secrets; a changed file has another one. */
  #searched = new WeakSet<Buffer>()
  #secrets = 0
  #flow: SimulatedFlow | undefined
  /** The number of events that were told. */
  #events = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  /** The moment until which a failure must be told. */
  #toldUntil = Number.POSITIVE_INFINITY
  #process: SimulatedProcess | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  /** The moment until which nothing could be written since the start of the process. */
  #withoutDiskUntil = Number.NEGATIVE_INFINITY
  #hasMarks = false
  /** The number of requests that were looked at. */
  #requests = 0

  constructor(disk: WatchedDisk, of: DiskSurroundings) {
    this.#disk = disk
    this.#of = of
  }

  /** Notes that a process starts. */
  start(process: SimulatedProcess, now: number): void {
    this.#process = process
    this.#startedAt = now
    this.#withoutDiskUntil = this.#disk.isUnwritable ? this.#disk.wellSince : Number.NEGATIVE_INFINITY
    this.#hasMarks = this.#disk.hasMarks
  }

  /** Looks at the files and at what the nodes tell. @param flow undefined while Node-RED does not run */
  look(flow: SimulatedFlow | undefined, now: number): void {
    this.#checkFiles()
    this.#checkRequests()
    if (flow === undefined) return
    this.#checkFailure(flow, now)
    this.#checkRecovery(flow, now)
  }

  #checkFiles(): void {
    const secrets = this.#of.secrets()
    if (secrets.length > this.#secrets) this.#searched = new WeakSet()
    this.#secrets = secrets.length
    const damaged = new Map<string, number>()
    for (const [path, stored] of this.#disk.disk.all()) {
      const [, original] = /^(.*)\.damaged-\d+$/.exec(path) ?? []
      if (original !== undefined) damaged.set(original, (damaged.get(original) ?? 0) + 1)
      if (path.includes('/keyholder') && (stored.mode & 0o077) !== 0)
        this.#report('owner only', `everybody can read ${path} (${stored.mode.toString(8)})`)
      if (!(stored instanceof StoredFile) || this.#searched.has(stored.content)) continue
      this.#searched.add(stored.content)
      const text = stored.content.toString('latin1')
      for (const secret of secrets)
        if (text.includes(secret) || text.includes(Buffer.from(secret).toString('base64')))
          this.#report('secret in a file', `a secret is in ${path}`)
    }
    for (const [path, count] of damaged)
      if (count > mostDamaged) this.#report('bounded files', `${count} damaged copies of ${path} are kept`)
  }

  #checkRequests(): void {
    const { requests } = this.#of
    const latest = requests.slice(this.#requests)
    this.#requests = requests.length
    for (const request of latest) {
      const { at, process, url } = request
      if (process !== this.#process || at >= this.#withoutDiskUntil) continue
      if (at < this.#startedAt + sendsNothing)
        this.#report(
          'start without a disk',
          `${url.pathname} is sent ${Math.round((at - this.#startedAt) / second)} s after a start that can note nothing`,
        )
      else if (!this.#hasMarks && isSignIn(request))
        this.#report(
          'start without a disk',
          `${url.pathname} is sent with a secret of which nobody knows if it was accepted`,
        )
    }
  }

  #checkFailure(flow: SimulatedFlow, now: number): void {
    const told = flow.output('events').all.filter(({ isAnswer, rehearsal }) => !isAnswer && !rehearsal).length
    const isSame = flow === this.#flow
    // The room may be used up right after an event was noted.
    const isUnnoted = isSame && told > this.#events && this.#disk.notedAt < this.#lookedAt
    this.#flow = flow
    this.#lookedAt = now
    this.#events = told
    // The process that was to tell a failure may be over.
    if (!isSame || !this.#disk.isUnwritable) this.#toldUntil = Number.POSITIVE_INFINITY
    else if (isUnnoted) this.#toldUntil = Math.min(this.#toldUntil, now + tellingTime)
    if (now < this.#toldUntil || !flow.has('events')) return
    this.#toldUntil = Number.POSITIVE_INFINITY
    if (!flow.errors.some((error) => /cannot be written/.test(String(error))))
      this.#report('failure told', 'an event cannot be noted, and no error tells it')
    if (!flow.status('events').all.some(({ text }) => unwritable.test(text)))
      this.#report('failure told', 'an event cannot be noted, and no status tells it')
  }

  #checkRecovery(flow: SimulatedFlow, now: number): void {
    const since = this.#disk.wellSince
    if (since > now - recoveryTime || this.#of.blind.isBlind('state', since, now)) return
    for (const node of ['state', 'events', 'incident', 'conditions']) {
      const text = flow.status(node).all.at(-1)?.text ?? ''
      if (flow.has(node) && unwritable.test(text))
        this.#report(
          'works again',
          `${node} shows "${text}" ${Math.round((now - since) / second)} s after the failure`,
        )
    }
  }

  #report(invariant: string, sentence: string): void {
    this.#of.report(`disk ${invariant}`, `disk, ${invariant}: ${sentence}`)
  }
}
