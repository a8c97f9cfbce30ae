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
  cached?: number
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
  readonly #parts: UserParts
  /** The keys of the answers by the keys that callers give: each of these is one object as long as it lasts. */
  readonly #keys = new WeakMap<Buffer, Buffer>()
  /** The stamps of the answers that were published last, with the times of their requests here. */
  readonly #published = new Map<string, { sentAt: number; stamp: number }>()
  /** The times here of the answers that were found last: the same answer has the same times again. */
  readonly #found = new Map<string, { stamp: number; times: Omit<Answer<unknown>, 'value'> }>()

  constructor(parts: UserParts) {
    this.#parts = parts
  }

  async publish(answersOf: string, question: string, answer: Answer<unknown>, secret: Buffer): Promise<void> {
    const asked = this.#question(answersOf, question, secret)
    const { stamp, isKnown } = this.#stampOf(asked, answer)
    const send = async (sealed: Buffer | '') => {
      const args = [asked.field, stamp, sealed]
      const [isThere] = await this.#parts.scripts.run(publish, followedKeys(answersOf), args)
      return isThere === 1
    }
    try {
      if (isKnown && (await send(''))) return
      await send(await this.#seal(asked, answer, stamp))
    } catch {
      // A follower asks for itself what it does not find.
    }
  }

  find(answersOf: string, question: string, secret: Buffer): Promise<Answer<unknown> | undefined> {
    const asked = this.#question(answersOf, question, secret)
    const [, answers] = followedKeys(answersOf)
    return this.#open(asked, this.#parts.scripts.send('HGET', [answers], [asked.field]))
  }

  async keep(question: string, answer: Answer<unknown>, secret: Buffer): Promise<void> {
    const asked = this.#question('descriptions', question, secret)
    const { stamp, isKnown } = this.#stampOf(asked, answer)
    // Callers that have waited for the same request have the same answer.
    if (isKnown) return
    try {
      const sealed = await this.#seal(asked, answer, stamp)
      // It expires, unlike all else: whoever misses it asks the service.
      await this.#parts.scripts.send('SET', [this.#placeOf(asked)], [sealed, 'PX', day])
    } catch {
      // The next process asks for itself.
    }
  }

  recall(question: string, secret: Buffer): Promise<Answer<unknown> | undefined> {
    const asked = this.#question('descriptions', question, secret)
    return this.#open(asked, this.#parts.scripts.send('GET', [this.#placeOf(asked)]))
  }

  #placeOf({ field }: Question): string {
    return `user:${this.#parts.user}:description:${field}`
  }

  /** Never rejects. */
  async #open({ key, name }: Question, found: Promise<unknown>): Promise<Answer<unknown> | undefined> {
    const { sharedClock } = this.#parts
    try {
      const sealed = await found
      const packed = Buffer.isBuffer(sealed) ? open(key, name, sealed) : undefined
      if (packed === undefined) return undefined
      // Whoever can seal it has the secrets, so it is as trustworthy as this process.
      const { value, session, cached, ...shared } = deserialize(await inflate(packed)) as SealedAnswer
      const kept = cached !== undefined && { cached }
      const stamp = shared.sentAt
      const known = this.#found.get(name)
      if (known?.stamp === stamp) return { value, ...known.times, session, ...kept }
      const { wall, monotonic: at } = sharedClock.localMoment(shared.at)
      const times = { fetchedAt: wall - (cached ?? 0), at, sentAt: at - Math.max(0, shared.at - stamp) }
      this.#found.set(name, { stamp, times })
      return { value, ...times, session, ...kept }
    } catch {
      return undefined
    }
  }

  async #seal(
    { key, name }: Question,
    { value, at, session, cached }: Answer<unknown>,
    stamp: number,
  ): Promise<Buffer> {
    const times = { at: this.#parts.sharedClock.shared(at), sentAt: stamp }
    const shared: SealedAnswer = { value, session, ...times, ...(cached !== undefined && { cached }) }
    return seal(key, name, await deflate(serialize(shared)))
  }

  /** Returns the time of the request on the shared clock, the same one each time; `isKnown` if this is not the first time. */
  #stampOf({ name }: Question, { sentAt }: Answer<unknown>): { stamp: number; isKnown: boolean } {
    const known = this.#published.get(name)
    if (known?.sentAt === sentAt) return { stamp: known.stamp, isKnown: true }
    const stamp = Math.round(this.#parts.sharedClock.shared(sentAt))
    this.#published.set(name, { sentAt, stamp })
    return { stamp, isKnown: false }
  }

  #question(answersOf: string, question: string, secret: Buffer): Question {
    const key = this.#keys.get(secret) ?? Buffer.from(hkdfSync('sha256', secret, '', 'answers', 32))
    this.#keys.set(secret, key)
    const field = createHmac('sha256', key).update(question).digest('base64url')
    return { field, key, name: `${answersOf} ${field}` }
  }
}
