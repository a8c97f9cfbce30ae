import type { Lane } from '../../src/account/service-user/rate-limit/budget.ts'
import type { CountedAttempt } from '../../src/account/service-user/rate-limit/rate-limit-store.ts'
import type { QuietTimes } from '../../src/cluster/redis/handshake.ts'
import { SharedRateLimits } from '../../src/cluster/stores/rate-limit/rate-limits.ts'
import { type RateLimitTimes, rateLimitTimes } from '../../src/cluster/stores/rate-limit/shared-attempts.ts'
import { minute } from '../../src/duration.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import type { RedisServer } from '../redis-server.ts'
import {
  advanceSharedClock,
  type ConnectedScripts,
  connectScripts,
  stepServerClock,
  userParts,
} from './connected-scripts.ts'

/** An instance that sends attempts of one user. */
export interface LimitedInstance extends ConnectedScripts {
  store: SharedRateLimits
  session: number
  /** The number of times that the server had forgotten the handshake. */
  forgotten: number
}

/** Instances that share a rate limit, on a clock that only the test moves. */
export class LimitedInstances {
  readonly clock = new FakeClock()
  readonly #server: RedisServer
  readonly #instances: LimitedInstance[] = []

  constructor(server: RedisServer) {
    this.#server = server
  }

  /** Adds a live instance with a cap. */
  async add(
    cap: number,
    quiet?: QuietTimes,
    times: RateLimitTimes = rateLimitTimes,
  ): Promise<LimitedInstance> {
    const { clock } = this
    let added: LimitedInstance | undefined
    const connected = await connectScripts(this.#server, {
      clock,
      ...(quiet === undefined ? {} : { quiet }),
      afterHandshake: async (scripts) => added?.store.restore(scripts),
      onForgotten: () => {
        instance.forgotten += 1
      },
    })
    const session = this.#instances.length + 1
    const instance: LimitedInstance = {
      ...connected,
      session,
      forgotten: 0,
      store: new SharedRateLimits(userParts(connected, clock, session), times),
    }
    added = instance
    this.#instances.push(instance)
    await this.revive(instance)
    instance.store.limit = cap
    await instance.store.recall()
    return instance
  }

  /** Makes an instance a member whose lease lasts. */
  async revive(instance: LimitedInstance): Promise<void> {
    await instance.command('ZADD', 'members', 9e15, instance.session)
  }

  /** Lets the lease of an instance end, as after a kill. */
  async bury(instance: LimitedInstance): Promise<void> {
    await instance.command('ZREM', 'members', instance.session)
  }

  /** Lets milliseconds pass for all. */
  async advance(ms: number): Promise<void> {
    const first = this.#reachable
    this.clock.advance(ms)
    if (first !== undefined) await advanceSharedClock(first, ms)
  }

  /** Sets the clock of the server on or back. */
  async step(ms: number): Promise<void> {
    const first = this.#reachable
    if (first !== undefined) await stepServerClock(first, ms)
  }

  /** The time of the shared clock. */
  async time(): Promise<number> {
    const [time = 0] = `${await this.#reachable?.command('GET', 'clock')}`.split(' ').map(Number)
    return time
  }

  /** Takes attempts until there is no room; returns them. */
  async takeAll({ store }: LimitedInstance, lane: Lane): Promise<CountedAttempt[]> {
    const taken: CountedAttempt[] = []
    for (let attempt = await store.take(lane); attempt !== undefined; attempt = await store.take(lane))
      taken.push(attempt)
    return taken
  }

  /** Waits until the server has answered all that was sent before, and the instances know the answers. */
  async settle(): Promise<void> {
    // An end is sent at the end of the turn of the event loop.
    await new Promise(setImmediate)
    for (const { connection } of this.#instances) await connection.send('PING', []).catch(() => {})
    // An answer in the same packet as that to the last PING takes more steps until it is known.
    await new Promise(setImmediate)
  }

  get #reachable(): LimitedInstance | undefined {
    return this.#instances.find(({ connection }) => connection.isOpen)
  }

  close(): void {
    for (const { close } of this.#instances.splice(0)) close()
  }
}

/** Returns the most arrivals in any window, which includes only one of its ends. */
export function fullestWindow(arrivals: readonly number[], window = minute): number {
  const sorted = [...arrivals].sort((one, other) => one - other)
  const counts = sorted.map((from) => sorted.filter((at) => at >= from && at < from + window).length)
  return Math.max(0, ...counts)
}
