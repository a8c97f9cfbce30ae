import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { bodyText, type HttpResponse, withJsonText } from '../../src/simulator/http/http-response.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

/** Secrets of a simulated service that must be seen nowhere: what is typed in, and the tokens it gives from now on. */
export class Canaries {
  readonly cookie = 'CanaryOfACookie'
  readonly #secrets = new Set<string>([this.cookie])
  readonly #tokens = new Set<string>()

  /** Plants them: password and user code are others from now on. */
  constructor({ accounts }: Simulator) {
    // Words that would pass for the service's own, too.
    accounts.setPassword('CanaryPasswordOfTheUser')
    accounts.setUserCode('CanaryCode0451')
    this.add(accounts.password)
    this.add(accounts.userCode)
    const note = <G extends { token: string } | string>(given: G): G => {
      if (typeof given === 'object') {
        this.add(given.token)
        this.#tokens.add(given.token)
      }
      return given
    }
    const signIn = accounts.signIn.bind(accounts)
    const logIn = accounts.logIn.bind(accounts)
    accounts.signIn = (...known) => note(signIn(...known))
    accounts.logIn = (...known) => note(logIn(...known))
  }

  add(secret: string): void {
    this.#secrets.add(secret)
  }

  /** Each of them. */
  get all(): readonly string[] {
    return [...this.#secrets]
  }

  /** Those that the service gave. */
  get tokens(): readonly string[] {
    return [...this.#tokens]
  }

  /**
   * The service says them again wherever it speaks of itself: in headers, a cookie, pages, and all parts of a refusal.
   * @param inData as the names and descriptions of things too
   * @param reason which of them stands where a refusal has one word for its reason
   */
  echo({ inData = false, reason = this.all[1] ?? '' } = {}): Fault {
    const spoken = () => this.all.join(' ')
    const told = inData ? ['name', 'zone_name', 'description', 'descriptionOriginal'] : []
    const rewritten = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(rewritten)
      if (typeof value !== 'object' || value === null) return value
      const members = Object.entries(value).map(([key, member]) => [
        key,
        told.includes(key) ? spoken() : rewritten(member),
      ])
      return Object.fromEntries('error_message' in value ? [...members, ...this.#refusal(reason)] : members)
    }
    return {
      name: 'echo of secrets',
      answer: (getOriginal) => {
        const said = getOriginal()
        const headers = { ...said.headers, 'X-Echo': spoken(), 'Set-Cookie': `session=${this.cookie}` }
        return { ...withBody(said, rewritten, spoken()), headers, phrase: spoken() }
      },
    }
  }

  /** Fails if one of them is in what was seen, however deep. */
  assertUnseenIn(seen: unknown): void {
    const depth = {
      depth: Number.POSITIVE_INFINITY,
      showHidden: true,
      maxArrayLength: null,
      maxStringLength: null,
    }
    const text = typeof seen === 'string' ? seen : `${inspect(seen, depth)} ${JSON.stringify(seen)}`
    for (const secret of this.#secrets) {
      const place = text.indexOf(secret)
      assert.ok(place < 0, `${secret} was seen: … ${text.slice(Math.max(0, place - 200), place + 100)} …`)
    }
  }

  #refusal(reason: string): [string, unknown][] {
    return [
      ['error_message', this.all.join(' ')],
      ['error_reason_code', reason],
      ['extras', this.all.map((secret) => ({ key: secret, value: secret }))],
    ]
  }
}

/** The answer with its body rewritten; behind a text that is no JSON, what is spoken. */
function withBody(said: HttpResponse, rewrite: (body: unknown) => unknown, spoken: string): HttpResponse {
  if (said.body === undefined) return said
  const text = bodyText(said)
  try {
    return withJsonText(said, JSON.stringify(rewrite(JSON.parse(text))))
  } catch {
    return typeof said.body === 'string' ? { ...said, body: text + spoken } : said
  }
}
