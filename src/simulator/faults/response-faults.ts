import { type Answer, noSuchPage, ok, textOf, withJsonText } from '../http/http-response.ts'
import { Random } from '../random.ts'
import { refusedWith } from './error-by-status.ts'
import type { Fault } from './fault.ts'
import { withProtoKeys, withWrongTypes } from './json-corruption.ts'
import { latency } from './network-faults.ts'

/** The content of an error response besides its status. */
export interface RefusalOptions {
  /** The header `Retry-After`, with any text: seconds, a date, or an invalid value. */
  readonly retryAfter?: string
  /**
   * Body instead of the one that real servers send with this status; an object is sent as JSON, text as a
   * page.
   */
  readonly body?: unknown
  /** The seconds that 420 has in its body; default 44, as in the only sample seen. */
  readonly seconds?: number
  /** Name of the fault, if the status alone is not unique. */
  readonly name?: string
  /** True to execute the request all the same, as behind a gateway with a timeout. */
  readonly isDone?: boolean
}

/** Answers with an error; by default the request is not executed. */
export function status(code: number, options: RefusalOptions = {}): Fault {
  const { retryAfter, body, seconds = 44, isDone = false } = options
  const known = refusedWith(code, seconds)
  const refused: Answer = {
    ...known,
    ...('body' in options ? { body } : {}),
    headers: { ...known.headers, ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }) },
  }
  const after = retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`
  return {
    name: options.name ?? `status ${code}${after}${isDone ? ', request done' : ''}`,
    answer: (truth) => {
      if (isDone) truth()
      return refused
    },
  }
}

/** Answers with a web page, as gateways and hotel networks do; status 200 by default. */
export function htmlPage(code = 200): Fault {
  const body = '<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon.</body></html>\n'
  return {
    name: code === 200 ? 'HTML page' : `HTML page with status ${code}`,
    answer: () => ({ status: code, body }),
  }
}

/** Redirects the client; 307 asks it to repeat the request with its body at the new URL. */
export function redirect(location: string, code = 302): Fault {
  const { body } = noSuchPage
  return {
    name: `redirect ${code} to ${location}`,
    answer: () => ({ status: code, body, headers: { Location: location } }),
  }
}

/** Sends the original response without its body. */
export function emptyBody(): Fault {
  return { name: 'empty body', answer: (truth) => withJsonText(truth(), '') }
}

/** Sends the original response without its last character. */
export function invalidJson(): Fault {
  return {
    name: 'invalid JSON',
    answer: (truth) => {
      const said = truth()
      return withJsonText(said, textOf(said).slice(0, -1))
    },
  }
}

/** Answers with nested lists of this depth; it is valid JSON. */
export function deepNesting(depth: number): Fault {
  const body = '['.repeat(depth) + ']'.repeat(depth)
  return { name: `JSON nested ${depth} deep`, answer: (truth) => withJsonText(truth(), body) }
}

/** Sends the original response with values of wrong types in some of its fields, different ones each time. */
export function wrongTypes(seed: number): Fault {
  const random = new Random(seed)
  return {
    name: `wrong types, seed ${seed}`,
    answer: (truth) => rewritten(truth(), (body) => withWrongTypes(body, random)),
  }
}

/** Sends the original response with members named `__proto__` and `constructor` in each object. */
export function protoKeys(): Fault {
  return { name: '__proto__ keys', answer: (truth) => rewritten(truth(), withProtoKeys) }
}

/** Answers with success and the result of `make` as JSON; the request is not executed. */
export function randomBody(make: () => unknown): Fault {
  return { name: 'random body', answer: () => withJsonText(ok(undefined), JSON.stringify(make()) ?? '') }
}

/** A response that a test sets for the next requests to an operation. */
export interface ScriptedAnswer {
  status: number
  /** An object is sent as JSON, text unchanged; empty if absent. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Number of requests; 1 when absent, `Infinity` for all. */
  times?: number
  /** Delay of the response in milliseconds of the clock; 0 when absent. */
  delay?: number
}

/** Returns a fault that sends this response to any request. */
export function laidDown(answer: ScriptedAnswer): Fault {
  return { ...(answer.delay ? latency(answer.delay) : {}), name: 'laid-down answer', answer: () => answer }
}

/** Returns a response with another JSON body; a response without a body, or with a page, is unchanged. */
function rewritten(said: Answer, rewrite: (body: unknown) => unknown): Answer {
  if (said.body === undefined || typeof said.body === 'string') return said
  return withJsonText(said, JSON.stringify(rewrite(said.body)))
}
