import type { Clock } from '../clock.ts'
import { second } from '../duration.ts'
import type { Fault } from './faults/active-faults.ts'
import type { ApiName } from './http/auth/tokens.ts'
import type { HttpResponse } from './http/http-response.ts'
import type { Operation } from './http/operation.ts'
import type { Api } from './http/router.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Equal answers to one operation; times are milliseconds from the start of the trace. */
interface RecordedAnswers {
  readonly at: number
  readonly until: number
  readonly times: number
  readonly operation: string
  readonly response: HttpResponse
}

/** The content of a trace: what a service answered about one panel, in its order. */
export interface Trace {
  readonly api: ApiName
  /** The versions of the service that the trace shows. */
  readonly versions: readonly string[]
  readonly serial: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds. */
  readonly duration: number
  readonly answers: readonly RecordedAnswers[]
}

/** Returns true for the text of a trace, and not of another file. */
export function isTrace(text: string): boolean {
  return text.startsWith('{"format":"keyholder-trace-1"')
}

/**
 * Reads the text of a trace, as the panel's dialog saves it.
 * @throws RangeError with a sentence about what is wrong with it
 */
export function parseTrace(text: string): Trace {
  const [head, ...lines] = text
    .split('\n')
    .filter((line) => line !== '')
    .map(parsed)
  const { account, serial, startedAt, duration } = membersOf(head)
  const { type, apiVersion } = membersOf(account)
  if (typeof serial !== 'string' && typeof serial !== 'number')
    throw new RangeError('it has no serial number')
  const bodies = new Map<string, Json>()
  const answers = lines.map((line) => answersOf(membersOf(line), bodies))
  const api = type === 'service' ? 'installer' : 'end user'
  return {
    api,
    versions: versionsIn(answers, api, typeof apiVersion === 'string' ? [apiVersion] : []),
    serial: String(serial),
    startedAt: Date.parse(String(startedAt)) || 0,
    duration: Number(duration) || 0,
    answers: answers.toSorted((one, other) => one.at - other.at),
  }
}

function parsed(line: string, at: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new RangeError(`line ${at + 1} is not JSON`)
  }
}

type Members = Readonly<Record<string, unknown>>

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

/** @param bodies the latest body by operation and status */
function answersOf(line: Members, bodies: Map<string, Json>): RecordedAnswers {
  const { op, at, until = at, times = 1, status, ms = 0, retryAfter, clockAhead, change, body, type } = line
  if (typeof op !== 'string' || typeof at !== 'number')
    throw new RangeError(`a line has no operation or time`)
  const key = `${op} ${status}`
  const before = bodies.get(key) ?? null
  const after = change === undefined ? before : changed(before, change)
  if (body === undefined) bodies.set(key, after)
  const headers = {
    ...(typeof type === 'string' && type !== 'other' && { 'Content-Type': type }),
    ...(typeof retryAfter === 'number' && { 'Retry-After': String(Math.ceil(retryAfter / second)) }),
  }
  const sent =
    body === undefined ? after : body === 'page' ? '<html></html>' : body === 'text' ? '?' : undefined
  const response: HttpResponse =
    typeof status === 'number'
      ? { status, body: sent, headers, latency: Number(ms), clockAhead: Number(clockAhead ?? 0) * second }
      : { status: 0, latency: Number.POSITIVE_INFINITY, isDropped: line.error !== 'TIMEOUT' }
  return { operation: paths[op] ?? op, at, until: Number(until), times: Number(times), response }
}

/**
 * Returns a value with its change: `["=", value]`, `["{", {name: change}, [names that went]]` or `["[", [step]]` with the steps
 * along a list: a number keeps so many entries, a negative one leaves so many out, `["+", value]` adds one, and a change is one
 * of the next entry.
 * @throws RangeError if the change is none
 */
export function changed(before: Json, change: unknown): Json {
  const [kind, value, gone] = Array.isArray(change) ? change : []
  if (kind === '=') return value as Json
  if (kind === '{' && typeof before === 'object' && before !== null && !Array.isArray(before)) {
    const members = new Map(Object.entries(before))
    for (const [name, member] of Object.entries(membersOf(value)))
      members.set(name, changed(members.get(name) ?? null, member))
    for (const name of (gone as string[]) ?? []) members.delete(name)
    return Object.fromEntries(members)
  }
  if (kind === '[' && Array.isArray(before) && Array.isArray(value)) {
    let at = 0
    return value.flatMap((step: unknown): Json[] => {
      if (typeof step === 'number') {
        const from = at
        at += Math.abs(step)
        return step > 0 ? before.slice(from, at) : []
      }
      if (Array.isArray(step) && step[0] === '+') return [step[1]]
      at += 1
      return [changed(before[at - 1] ?? null, step)]
    })
  }
  throw new RangeError('a change does not fit the answer before it')
}

function versionsIn(answers: readonly RecordedAnswers[], api: ApiName, used: readonly string[]): string[] {
  const name = api === 'installer' ? 'installer_versions' : 'rest_versions'
  const listed = answers
    .filter(({ operation }) => operation === 'version')
    .flatMap(({ response }) => membersOf(response.body)[name] ?? [])
  return [...new Set([...listed.map(String), ...used])]
}

/** The answers of a trace at their times; the time begins with the first request. */
export class TraceReplay {
  readonly trace: Trace
  readonly #clock: Clock
  readonly #speed: number
  readonly #given = new Map<RecordedAnswers, number>()
  #start: number | undefined

  constructor(trace: Trace, clock: Clock, speed: number) {
    this.trace = trace
    this.#clock = clock
    this.#speed = speed
  }

  /**
   * Returns the answer to an operation now; undefined if the trace has none.
   *
   * A success is true until the next answer. A refusal, and an answer that did not come, is given as often as it was then, to
   * the requests of that time, and once if there was no request at that time: a session has ended once, not until the next answer.
   */
  answer(operation: string): HttpResponse | undefined {
    const now = this.#clock.monotonic()
    this.#start ??= now
    const elapsed = (now - this.#start) * this.#speed
    const all = this.trace.answers.filter((one) => one.operation === operation)
    const past = all.filter(({ at }) => at <= elapsed)
    const refusal = past.find((one) => this.#isDue(one, elapsed))
    if (refusal !== undefined) {
      this.#given.set(refusal, this.#countGiven(refusal) + 1)
      return refusal.response
    }
    const isGood = ({ response: { status } }: RecordedAnswers) => status >= 200 && status < 300
    return (past.findLast(isGood) ?? all.find(isGood) ?? past.at(-1))?.response
  }

  #isDue(one: RecordedAnswers, elapsed: number): boolean {
    if (one.response.status >= 200 && one.response.status < 300) return false
    const given = this.#countGiven(one)
    return given === 0 || (given < one.times && elapsed <= one.until)
  }

  #countGiven(one: RecordedAnswers): number {
    return this.#given.get(one) ?? 0
  }
}

/** Names in the client that differ from the path. */
const paths: Readonly<Record<string, string>> = { event_profiles: 'had/rules/event-profiles' }

/** Operations that a client asks once and then remembers, so a trace may lack them: the simulator answers them itself. */
const rarelyAsked = ['panels', 'panel_info', 'feature_set', 'had/rules/event-profiles']

/**
 * Returns the service of the trace, in its version, and the other one without versions. It answers as in the trace. Its
 * sign-ins have new tokens, because those of the trace are stand-ins; where the trace has none, they succeed.
 */
export function traceApis(apis: readonly Api[], replay: TraceReplay): readonly Api[] {
  const { api: name, versions } = replay.trace
  return apis.map((api) => ({
    ...api,
    versions: api.name !== name ? [] : versions.length > 0 ? versions : api.versions,
    operations: api.name !== name ? [] : traceOperations(api.operations, replay),
  }))
}

function traceOperations(operations: readonly Operation[], replay: TraceReplay): Operation[] {
  const recorded = new Set(replay.trace.answers.map(({ operation }) => paths[operation] ?? operation))
  const own = operations.filter(({ name }) => name === 'auth' || name === 'panel/login')
  const openings = replay.trace.answers.filter(({ operation }) => operation === 'panel/login')
  // A service without an operation to open a panel answers without that.
  const isOpened = openings.length === 0 || openings.some(({ response }) => response.status === 200)
  const descriptions = operations.filter(({ name }) => rarelyAsked.includes(name) && !recorded.has(name))
  const reads = [...recorded].filter((path) => !['version', 'auth', 'panel/login'].includes(path))
  return [
    ...own.map((operation) => withRecordedOutcome(operation, replay)),
    ...descriptions,
    ...reads.map((path): Operation => {
      const known = operations.find((one) => one.name === path)
      const { method = 'GET', argument = false } = known ?? {}
      const needs = isOpened ? (known?.needs ?? 'session') : 'user token'
      const answer = () => replay.answer(path) ?? { status: 404 }
      return { name: path, method, argument, needs, answer } as Operation
    }),
  ]
}

function withRecordedOutcome(operation: Operation, replay: TraceReplay): Operation {
  const answer = (...asked: Parameters<typeof operation.answer>): HttpResponse => {
    const recorded = replay.answer(operation.name)
    if (recorded !== undefined && recorded.status !== 200) return recorded
    const own = operation.answer(...(asked as [never, never]))
    return own.status === 200 && recorded
      ? { ...recorded, body: { ...membersOf(recorded.body), ...(own.body as object) } }
      : own
  }
  return { ...operation, answer } as Operation
}

/** Returns what makes the service list its versions as in the trace. */
export function recordedVersions(replay: TraceReplay): Fault {
  return { name: 'versions of the trace', answer: (getOriginal) => replay.answer('version') ?? getOriginal() }
}
