import { createHmac, hkdfSync } from 'node:crypto'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { Answer, AnswerStore } from '../../account/answer.ts'
import { day } from '../../duration.ts'
import * as lua from '../lua/followers.lua.ts'
import { followedKeys } from '../membership/followers.ts'
import { scriptsOf, type UserParts } from '../redis/scripts.ts'
import { open, seal } from '../redis/seal.ts'

const { publish } = scriptsOf(lua)

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)]

/** An answer as it is sealed; its times are those of the shared clock. */
interface SealedAnswer {
  value: unknown
  at: number
  sentAt: number
  session?: string | undefined
}

/** The keys of the answers to one question. */
interface Question {
  /** A digest that shows nothing of the question to who does not have the key of the secrets. */
  field: string
  key: Buffer
  /** The name of the question here. */
  name: string
}

/** The answers of a service user's requests, sealed under the secrets of the account. */
export class SharedAnswers implements AnswerStore {
  readonly #options: UserParts
  /** The keys of the answers by the keys that callers give: each of these is one object as long as it lasts. */
  readonly #keys = new WeakMap<Buffer, Buffer>()
  /** The stamps of the answers that were published last, with the times of their requests here. */
  readonly #published = new Map<string, { sentAt: number; stamp: number }>()
  /** The times here of the answers that were found last: the same answer has the same times again. */
  readonly #found = new Map<string, { stamp: number; times: Omit<Answer<unknown>, 'value'> }>()

  constructor(options: UserParts) {
    this.#options = options
  }

  async publish(answersOf: string, question: string, answer: Answer<unknown>, secret: Buffer): Promise<void> {
    const { field, key, name } = this.#question(answersOf, question, secret)
    const { sentAt } = answer
    const before = this.#published.get(name)
    const isKnown = before?.sentAt === sentAt
    const stamp = isKnown ? before.stamp : Math.round(this.#shared(sentAt))
    try {
      if (isKnown && (await this.#send(answersOf, field, stamp, ''))) return
      const sealed = await this.#seal(key, name, answer, stamp)
      this.#published.set(name, { sentAt, stamp })
      await this.#send(answersOf, field, stamp, sealed)
    } catch {
      // A follower asks for itself what it does not find.
    }
  }

  async find(answersOf: string, question: string, secret: Buffer): Promise<Answer<unknown> | undefined> {
    const { field, key, name } = this.#question(answersOf, question, secret)
    const { scripts } = this.#options
    return this.#open(scripts.send('HGET', [followedKeys(answersOf)[1]], [field]), key, name)
  }

  async keep(question: string, answer: Answer<unknown>, secret: Buffer): Promise<void> {
    const { field, key, name } = this.#question('descriptions', question, secret)
    const { sentAt } = answer
    // Callers that have waited for the same request have the same answer.
    if (this.#published.get(name)?.sentAt === sentAt) return
    const stamp = Math.round(this.#shared(sentAt))
    this.#published.set(name, { sentAt, stamp })
    try {
      const sealed = await this.#seal(key, name, answer, stamp)
      // It expires, unlike all else: whoever misses it asks the service.
      await this.#options.scripts.send('SET', [this.#placeOf(field)], [sealed, 'PX', day])
    } catch {
      // The next process asks for itself.
    }
  }

  async recall(question: string, secret: Buffer): Promise<Answer<unknown> | undefined> {
    const { field, key, name } = this.#question('descriptions', question, secret)
    return this.#open(this.#options.scripts.send('GET', [this.#placeOf(field)]), key, name)
  }

  #placeOf(field: string): string {
    return `user:${this.#options.user}:description:${field}`
  }

  /** Never rejects. */
  async #open(answer: Promise<unknown>, key: Buffer, name: string): Promise<Answer<unknown> | undefined> {
    try {
      const sealed = await answer
      const packed = Buffer.isBuffer(sealed) ? open(key, name, sealed) : undefined
      if (packed === undefined) return undefined
      // Whoever can seal it has the secrets, so it is as trustworthy as this process.
      const { value, at, sentAt, session } = deserialize(await inflate(packed)) as SealedAnswer
      const known = this.#found.get(name)
      const times = known?.stamp === sentAt ? known.times : this.#timesOf(at, sentAt)
      this.#found.set(name, { stamp: sentAt, times })
      return { value, ...times, session }
    } catch {
      return undefined
    }
  }

  /** @param stamp the time of the request on the shared clock */
  async #seal(
    key: Buffer,
    name: string,
    { value, at, session }: Answer<unknown>,
    stamp: number,
  ): Promise<Buffer> {
    const shared: SealedAnswer = { value, at: this.#shared(at), sentAt: stamp, session }
    return seal(key, name, await deflate(serialize(shared)))
  }

  /** Returns a time of this process on the shared clock. */
  #shared(time: number): number {
    const { clock, sharedClock } = this.#options
    return sharedClock.now() - (clock.monotonic() - time)
  }

  /** Returns times of the shared clock on the clocks of this process: those of another machine mean nothing here. */
  #timesOf(at: number, sentAt: number): Omit<Answer<unknown>, 'value'> {
    const { clock, sharedClock } = this.#options
    const age = Math.max(0, sharedClock.now() - at)
    const arrived = clock.monotonic() - age
    return {
      fetchedAt: Math.round(clock.wall() - age),
      at: arrived,
      sentAt: arrived - Math.max(0, at - sentAt),
    }
  }

  /** Returns true if the answer with a stamp is on the server now, or nobody follows. */
  async #send(answersOf: string, field: string, stamp: number, sealed: Buffer | ''): Promise<boolean> {
    const args = [field, stamp, sealed]
    const [isThere] = await this.#options.scripts.run(publish, followedKeys(answersOf), args)
    return isThere === 1
  }

  #question(answersOf: string, question: string, secret: Buffer): Question {
    const key = this.#keys.get(secret) ?? Buffer.from(hkdfSync('sha256', secret, '', 'answers', 32))
    this.#keys.set(secret, key)
    const field = createHmac('sha256', key).update(question).digest('base64url')
    return { field, key, name: `${answersOf} ${field}` }
  }
}
