import { ageWithSleep, every, type Moment, momentOf } from '../../clock.ts'
import { second } from '../../duration.ts'
import type { KeyholderError } from '../../service/error.ts'
import * as lua from '../lua/membership.lua.ts'
import { type Scripts, type StoreParts, scriptsOf } from '../redis/scripts.ts'

const scripts = scriptsOf(lua)

/** Milliseconds of a session. */
export interface MembershipTimes {
  heartbeat: number
  /** The others take over this long after the last heartbeat. */
  lease: number
  /** This instance itself stops this long after it asked: before the others, even if the server's clock is set. */
  validity: number
}

/** The times of the product. */
export const membershipTimes: MembershipTimes = {
  heartbeat: second / 2,
  lease: 5 * second,
  validity: 4 * second,
}

/** Heartbeats whose answers may be awaited at the same time: as many as fit into the validity of one. */
const maxUnanswered = 8

/** The answer to a heartbeat. */
export interface Heartbeat {
  /** The sessions, each followed by its wishes, if an instance has joined, left, died, given up a lease or changed a wish. */
  wishes: readonly string[] | undefined
  /** The users whose backoff has changed. */
  changedUsers: readonly string[]
  /** The panels whose cursor was saved. */
  changedPanels: readonly string[]
  /** Words about the works of leases. */
  hints: readonly string[]
  /** True if it was sent because of the time, and not because something has changed. */
  isRegular: boolean
}

/** The dependencies of a membership, and its listeners. The functions must not throw. */
interface MembershipOptions extends Omit<StoreParts, 'membership'> {
  times?: MembershipTimes | undefined
  /** Returns the wishes of this instance, for the others. */
  wishes(): string
  onHeartbeat(heartbeat: Heartbeat): void
  /** Called when the session is not valid any more: nothing may be done that only one instance may do. */
  onLapse(): void
}

/** The parts of a cluster, with its membership. */
export interface ClusterParts extends StoreParts {
  membership: Membership
  /** Returns the reason why there is no connection; undefined while there is one. */
  failure(): KeyholderError | undefined
}

/** The session of this instance in the cluster, kept alive by heartbeats, and the other instances. */
export class Membership {
  readonly #options: MembershipOptions
  readonly #times: MembershipTimes
  /** The number of the session; 0 before the first one. A later session has a higher number. */
  session = 0
  /** The names of the live instances by session, as far as known, with this one. */
  names: ReadonlyMap<string, string> = new Map()
  /** The time at which the latest heartbeat was asked that the server answered; undefined after a lapse. */
  #heardAt: Moment | undefined
  #toldAt = 0
  /** The version and the own wishes of the latest answer; undefined before the first one of a session, and after a lapse. */
  #version: number | undefined
  #toldWishes: string | undefined
  /** True while an answer about the news is awaited: another one would tell the same again. */
  #isAsking = false
  #unanswered = 0
  #isEntering = false
  #isBeatDue = false
  #stop = () => {}
  #cancelLapse = () => {}

  constructor(options: MembershipOptions) {
    this.#options = options
    this.#times = options.times ?? membershipTimes
  }

  /** True while this instance may rely on its session. */
  get isValid(): boolean {
    if (this.session === 0 || this.#heardAt === undefined) return false
    return ageWithSleep(this.#heardAt, this.#options.clock) < this.#times.validity
  }

  /**
   * Continues the session on a server right after the handshake, or begins one.
   * @throws KeyholderError
   */
  async enter(through: Scripts): Promise<void> {
    if (this.session > 0 && (await this.#ask(through))) return
    this.#lapse()
    const { instance } = this.#options
    const keys = ['members', 'sessions', 'version', 'names']
    const [session] = await through.run(scripts.join, keys, [this.#times.lease, instance])
    this.session = Number(session)
    this.#toldAt = 0
    this.#toldWishes = undefined
    await this.#ask(through)
  }

  /** Sends heartbeats from now on. */
  start(): void {
    this.#stop = every(this.#options.clock, this.#times.heartbeat, () => void this.#beat(true))
  }

  /** Ends the session, so that the others need not wait for its end. Never rejects. */
  async leave(): Promise<void> {
    this.#stop()
    const session = this.session
    this.#lapse()
    this.session = 0
    if (session === 0) return
    const keys = ['members', 'version', 'names', 'wishes']
    await this.#options.scripts.run(scripts.leave, keys, [session]).catch(() => {})
  }

  /** Sends a heartbeat at once, because the wishes have changed. */
  hurry(): void {
    this.#isBeatDue = true
    if (!this.#isAsking) void this.#beat()
  }

  /** Never rejects: without an answer, the session lapses. */
  async #beat(isRegular = false): Promise<void> {
    if (this.#isEntering || this.session === 0 || this.#unanswered >= maxUnanswered) return
    // Whoever has seen that it is not valid must be told, also if it is prolonged now.
    if (this.#heardAt !== undefined && !this.isValid) this.#lapse()
    try {
      this.#isBeatDue = false
      // Not one after another: a slow server would let the session lapse between two answers.
      const isKnown = await this.#ask(this.#options.scripts, isRegular)
      if (!isKnown && !this.#isEntering) {
        this.#isEntering = true
        await this.enter(this.#options.scripts).finally(() => {
          this.#isEntering = false
        })
      }
      if (this.#isBeatDue && !this.#isAsking) void this.#beat()
    } catch {
      // The connection is made again, and then the session is continued.
    }
  }

  /** Returns false if the server does not know the session. */
  async #ask(through: Scripts, isRegular = false): Promise<boolean> {
    const { clock, onHeartbeat, wishes: ownWishes, generation } = this.#options
    const session = this.session
    const asked = momentOf(clock)
    const own = ownWishes()
    const ofChanges = ['changed', 'changed cursors', 'hints', 'killed']
    const keys = ['server', 'members', 'version', 'names', 'wishes', ...ofChanges]
    const asksForNews = !this.#isAsking
    const since = asksForNews ? this.#toldAt : Number.MAX_SAFE_INTEGER
    const news = !asksForNews || own === this.#toldWishes ? '=' : own
    const args = [session, this.#times.lease, since, this.#version ?? -1, news, generation() ?? '']
    this.#isAsking = true
    this.#unanswered += 1
    const answer = await through.run(scripts.heartbeat, keys, args).finally(() => {
      this.#unanswered -= 1
      if (asksForNews) this.#isAsking = false
    })
    if (session !== this.session) return true
    if (answer[0] !== 'alive') return false
    const [, version, wishes, time, sessions, names, changedUsers, changedPanels, hints] = answer as [
      ...[string, number, string[] | null, number],
      ...[string[], (string | null)[], string[], string[], string[]],
    ]
    this.names = new Map(sessions.map((one, index) => [one, names[index] ?? '']))
    this.#version = version
    if (asksForNews) {
      this.#toldAt = time
      this.#toldWishes = own
    }
    this.#prolong(asked)
    onHeartbeat({ wishes: wishes ?? undefined, changedUsers, changedPanels, hints, isRegular })
    return true
  }

  #prolong(askedAt: Moment): void {
    const { clock } = this.#options
    if (this.#heardAt !== undefined && askedAt.monotonic < this.#heardAt.monotonic) return
    this.#heardAt = askedAt
    this.#cancelLapse()
    const left = askedAt.monotonic + this.#times.validity - clock.monotonic()
    this.#cancelLapse = clock.after(left, () => this.#lapse())
  }

  #lapse(): void {
    this.#cancelLapse()
    this.#heardAt = undefined
    this.#version = undefined
    this.#options.onLapse()
  }
}
