import { type Answer, noSuchPage, ok, textOf, withJsonText } from '../http/answer.ts'
import { Random } from '../world/random.ts'
import type { Fault } from './fault.ts'
import { withProtoKeys } from './proto-keys.ts'
import { refusedWith } from './refused-with.ts'
import { withWrongTypes } from './wrong-types.ts'

/** What a refusal says beside its status. */
export interface RefusalOptions {
  /** The header `Retry-After`, any text: seconds, a date, or nonsense. */
  readonly retryAfter?: string
  /** Instead of what real servers say with this status; an object goes out as JSON, text as a page. */
  readonly body?: unknown
  /** The seconds that 420 gives in its body; 44, as in the one sample seen. */
  readonly seconds?: number
  /** What the fault is called, where the status alone does not tell it from another. */
  readonly name?: string
  /** What was asked for is done all the same, as behind a gateway that waited in vain for the answer. */
  readonly isDone?: boolean
}

/** A refusal; what was asked for is not done, unless told otherwise. */
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

/** A web page instead of the answer, as gateways and hotel networks give it; 200 unless told otherwise. */
export function htmlPage(code = 200): Fault {
  const body = '<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon.</body></html>\n'
  return {
    name: code === 200 ? 'HTML page' : `HTML page with status ${code}`,
    answer: () => ({ status: code, body }),
  }
}

/** Sends the client elsewhere; with 307 it is asked to send everything again there. */
export function redirect(location: string, code = 302): Fault {
  const { body } = noSuchPage
  return {
    name: `redirect ${code} to ${location}`,
    answer: () => ({ status: code, body, headers: { Location: location } }),
  }
}

/** The truthful answer without its body. */
export function emptyBody(): Fault {
  return { name: 'empty body', answer: (truth) => withJsonText(truth(), '') }
}

/** The truthful answer without its last character. */
export function invalidJson(): Fault {
  return {
    name: 'invalid JSON',
    answer: (truth) => {
      const said = truth()
      return withJsonText(said, textOf(said).slice(0, -1))
    },
  }
}

/** Lists in lists instead of the truth, so many deep; it is valid JSON. */
export function deepNesting(depth: number): Fault {
  const body = '['.repeat(depth) + ']'.repeat(depth)
  return { name: `JSON nested ${depth} deep`, answer: (truth) => withJsonText(truth(), body) }
}

/** The truthful answer with values of other types in some of its fields, other ones each time. */
export function wrongTypes(seed: number): Fault {
  const random = new Random(seed)
  return {
    name: `wrong types, seed ${seed}`,
    answer: (truth) => rewritten(truth(), (body) => withWrongTypes(body, random)),
  }
}

/** The truthful answer with members named `__proto__` and `constructor` in each of its objects. */
export function protoKeys(): Fault {
  return { name: '__proto__ keys', answer: (truth) => rewritten(truth(), withProtoKeys) }
}

/** Success with whatever `make` makes, as JSON; nothing of what was asked for is done. */
export function randomBody(make: () => unknown): Fault {
  return { name: 'random body', answer: () => withJsonText(ok(undefined), JSON.stringify(make()) ?? '') }
}

/** An answer with another JSON body; one without a body, or with a page, as it is. */
function rewritten(said: Answer, rewrite: (body: unknown) => unknown): Answer {
  if (said.body === undefined || typeof said.body === 'string') return said
  return withJsonText(said, JSON.stringify(rewrite(said.body)))
}
