import type { Clock } from '../../../clock.ts'
import { hour } from '../../../duration.ts'
import { signIn } from '../../lua/rate-limit.lua.ts'
import { type Reply, type Scripts, script } from '../../redis/scripts.ts'

const signInScript = script(signIn)

/** The sign-ins of the last hour of all instances. Those of this one are remembered, for a server that has forgotten them. */
export class SharedSignIns {
  readonly #clock: Clock
  readonly #key: string
  /** The times of our own sign-ins, by id. */
  readonly #own = new Map<string, number>()

  /** @param key the key of the sign-ins on the server */
  constructor(clock: Clock, key: string) {
    this.#clock = clock
    this.#key = key
  }

  /** Notes a sign-in of this instance. Returns the number in the last hour, as far as known; never rejects. */
  async note(id: string, scripts: Scripts): Promise<number> {
    const now = this.#clock.monotonic()
    for (const [id, at] of this.#own) if (now - at >= hour) this.#own.delete(id)
    this.#own.set(id, now)
    const answer = await this.#send(scripts).catch(() => [])
    return Math.max(this.#own.size, Number(answer[0] ?? 0))
  }

  /**
   * Puts back those of this instance.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    if (this.#own.size > 0) await this.#send(through)
  }

  #send(through: Scripts): Promise<Reply<string>[]> {
    const now = this.#clock.monotonic()
    const signIns = [...this.#own].flatMap(([id, at]) => [id, Math.floor(now - at)])
    return through.run(signInScript, [this.#key], [hour, ...signIns])
  }
}
