import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { Accounts } from '../http/accounts.ts'
import { type Answer, isAnswer, ok, wrongMethod } from '../http/answer.ts'
import { readBody } from '../http/request-body.ts'
import type { RequestLog } from '../http/request-log.ts'
import type { Api } from '../http/router.ts'
import type { Beside } from '../http/server.ts'
import type { World } from '../world/world.ts'
import { type Action, actions } from './actions.ts'
import { Picture } from './picture.ts'
import { Refused } from './refused.ts'
import { saying, turnedAway } from './visitors.ts'

/** What the console shows and acts upon. */
export interface ConsoleParts {
  readonly world: World
  readonly accounts: Accounts
  readonly faults: Faults
  readonly log: RequestLog
  readonly apis: readonly Api[]
  readonly clock: Clock
}

const base = '/console/'

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  mjs: 'text/javascript',
  svg: 'image/svg+xml',
}

/** The page's own files, by path. */
const files: ReadonlyMap<string, string> = new Map([
  ['/', 'index.html'],
  ...['style.css', 'controls.css', 'icon.svg', 'main.mjs', 'panel.mjs', 'service.mjs', 'element.mjs'].map(
    (file) => [base + file, file] as const,
  ),
])

/** Nothing from elsewhere, nothing inline, no frame around it: a page that frames it could guide a click. */
const guarded = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * The simulator's console: a page at `/`, and below `/console/` its parts, `GET state` and a POST for each action.
 *
 * It keeps nothing of its own; the page asks once a second. Whatever acts on the world elsewhere shows here too.
 */
export class ConsolePage implements Beside {
  readonly #parts: ConsoleParts
  #picture: Picture | undefined

  constructor(parts: ConsoleParts) {
    this.#parts = parts
  }

  owns(path: string): boolean {
    return path === '/' || path.startsWith(base)
  }

  answer(request: IncomingMessage, path: string, body: string): Answer {
    const answer = turnedAway(request) ?? this.#answer(request.method ?? '', path, body)
    return { ...answer, headers: { ...guarded, ...answer.headers } }
  }

  #answer(method: string, path: string, body: string): Answer {
    const action = actions.get(path.slice(base.length))
    if (action) return method === 'POST' ? this.#act(action, body) : wrongMethod('POST')
    const part = files.get(path)
    if (!part && path !== `${base}state`) return saying(404, 'The console has no such page.')
    if (method !== 'GET') return wrongMethod('GET')
    if (part) return page(part)
    this.#picture ??= new Picture(this.#parts)
    return ok(this.#picture.now())
  }

  #act(action: Action, body: string): Answer {
    const read = readBody(body)
    if (isAnswer(read)) return saying(read.status, 'The body must be a JSON object.')
    try {
      return ok({ done: true, message: action(read.body, this.#parts) })
    } catch (error) {
      // No failure of the request: a panel that stays disarmed is part of the play.
      if (error instanceof Refused) return ok({ done: false, message: error.message })
      // What is not there, or out of range: the world names it.
      if (error instanceof RangeError) return saying(400, error.message)
      throw error
    }
  }
}

function page(file: string): Answer {
  const body = readFileSync(new URL(`page/${file}`, import.meta.url), 'utf8')
  const type = types[file.slice(file.lastIndexOf('.') + 1)]
  return { status: 200, body, headers: { 'Content-Type': `${type}; charset=utf-8` } }
}
