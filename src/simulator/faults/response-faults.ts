import { errorByStatus } from '../http/error-responses.ts'
import { bodyText, type HttpResponse, pageNotFound, withJsonText } from '../http/http-response.ts'
import { Random } from '../random.ts'
import type { Fault } from './active-faults.ts'
import { latency } from './network-faults.ts'

/** The parts of an error response other than its status. */
export interface StatusOptions {
  /** The header `Retry-After`, with any text: seconds, a date, or an invalid value. */
  readonly retryAfter?: string
  /**
   * Body instead of the one that real servers send with this status; an object is sent as JSON, text as a
   * page.
   */
  readonly body?: unknown
  /** The seconds that 420 has in its body; default 44, as in the only known sample. */
  readonly seconds?: number
  /** Name of the fault, if the status alone is not unique. */
  readonly name?: string
  /** True to execute the request nevertheless, as behind a gateway with a timeout. */
  readonly isExecuted?: boolean
}

/** Answers with an error; by default the request is not executed. */
export function status(code: number, options: StatusOptions = {}): Fault {
  const { retryAfter, body, seconds = 44, isExecuted = false } = options
  const usual = errorByStatus(code, seconds)
  const response: HttpResponse = {
    ...usual,
    ...('body' in options ? { body } : {}),
    headers: { ...usual.headers, ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }) },
  }
  const suffix = retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`
  return {
    name: options.name ?? `status ${code}${suffix}${isExecuted ? ', request done' : ''}`,
    needsConnection: needsConnection(response),
    answer: (getOriginal) => {
      if (isExecuted) getOriginal()
      return response
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
  const { body } = pageNotFound
  const response = { status: code, body, headers: { Location: location } }
  return {
    name: `redirect ${code} to ${location}`,
    needsConnection: needsConnection(response),
    answer: () => response,
  }
}

/** Sends the original response without its body. */
export function emptyBody(): Fault {
  return { name: 'empty body', answer: (getOriginal) => withJsonText(getOriginal(), '') }
}

/** Sends the original response without its last character. */
export function invalidJson(): Fault {
  return {
    name: 'invalid JSON',
    answer: (getOriginal) => {
      const response = getOriginal()
      return withJsonText(response, bodyText(response).slice(0, -1))
    },
  }
}

/** Answers with nested lists of this depth; it is valid JSON. */
export function deepNesting(depth: number): Fault {
  const body = '['.repeat(depth) + ']'.repeat(depth)
  return { name: `JSON nested ${depth} deep`, answer: (getOriginal) => withJsonText(getOriginal(), body) }
}

/** Sends the original response with values of wrong types in some of its fields, different ones each time. */
export function wrongTypes(seed: number): Fault {
  const random = new Random(seed)
  return {
    name: `wrong types, seed ${seed}`,
    answer: (getOriginal) => rewriteJson(getOriginal(), (body) => withWrongTypes(body, random)),
  }
}

/** Sends the original response with members named `__proto__` and `constructor` in each object. */
export function protoKeys(): Fault {
  return { name: '__proto__ keys', answer: (getOriginal) => rewriteJson(getOriginal(), withProtoKeys) }
}

/** A response that a test sets for the next requests to an operation. */
export interface ScriptedResponse {
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
export function scriptedResponse(response: ScriptedResponse): Fault {
  return {
    ...(response.delay ? latency(response.delay) : {}),
    name: 'scripted response',
    needsConnection: needsConnection(response),
    answer: () => response,
  }
}

const plainHeader = /^(age|content-type|date|retry-after)$/i

/**
 * Returns true if a client does more with a response than to read it: it may follow a redirect, may wait for more after
 * a status below 200, and obeys headers.
 */
function needsConnection({ status, headers = {} }: HttpResponse): boolean {
  const isRead = (status >= 200 && status < 300) || (status >= 400 && status < 600)
  return !isRead || Object.keys(headers).some((name) => !plainHeader.test(name))
}

/** Returns a response with another JSON body; a response without a body, or with a page, is unchanged. */
function rewriteJson(response: HttpResponse, rewrite: (body: unknown) => unknown): HttpResponse {
  if (response.body === undefined || typeof response.body === 'string') return response
  return withJsonText(response, JSON.stringify(rewrite(response.body)))
}

type Container = Record<string | number, unknown>

const wrongValues = [
  null,
  true,
  -1,
  0.5,
  2 ** 60,
  '',
  'text',
  '2026-13-45 99:99:99',
  [],
  [null],
  {},
  { value: 1 },
]

/** Returns a copy of a JSON value in which about one of eight values, at any depth, has a wrong type. */
function withWrongTypes(value: unknown, random: Random): unknown {
  const whole: Container = { value: structuredClone(value) }
  const places = listPlaces(whole)
  for (let left = Math.ceil(places.length / 8); left > 0; left -= 1) {
    const place = random.pick(places)
    if (place) place.container[place.key] = pickOtherType(place.container[place.key], random)
  }
  return whole.value
}

function listPlaces(container: Container): { container: Container; key: string }[] {
  return Object.entries(container).flatMap(([key, member]) => {
    const within = typeof member === 'object' && member !== null ? listPlaces(member as Container) : []
    return [{ container, key }, ...within]
  })
}

function pickOtherType(value: unknown, random: Random): unknown {
  return random.pick(wrongValues.filter((other) => getType(other) !== getType(value)))
}

function getType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

/** A prototype that adds a field to objects and makes their conversion to strings fail. */
const polluting = { polluted: 'by the wire', toString: 'no function' }

/**
 * Returns a copy of a JSON value whose objects, at every depth, have members that a careless copy uses as a
 * prototype.
 */
function withProtoKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withProtoKeys)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, withProtoKeys(member)])
  // Unlike an assignment, this also creates a member with the name `__proto__`.
  return Object.fromEntries([['__proto__', polluting], ['constructor', { prototype: polluting }], ...members])
}
