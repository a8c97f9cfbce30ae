import type { Clock } from '../../clock.ts'
import { hour, second } from '../../duration.ts'
import { isPage, type Reply } from '../../service/classify-error.ts'
import { type JsonValue, parseJson } from '../../service/schema.ts'
import { parseRetryAfter } from '../service-user/rate-limit/backoff.ts'
import { changeOf } from './json-change.ts'

/** Bytes of what a recording keeps; a quiet day of a simulated panel has 20 kB. */
export const maxTraceBytes = 5 * 1024 * 1024

/** Milliseconds after which a recording ends by itself: a day has all that usually happens in a house. */
export const maxTraceTime = 24 * hour

/** Levels of lists and objects in an answer; those of the service have fewer than ten. */
const maxDepth = 50

/** Seconds by which the clock of the service may differ before it is told: its times have whole seconds, and an answer takes time. */
const clockTolerance = 2

/** Bytes of a line of a trace without its change, at most. */
const runBytes = 160

/** Kinds of content that a service sends; any other may be anything, and is called `other`. */
const contentTypes = ['application/json', 'text/html', 'text/plain', 'text/xml', 'application/xml']

/** Equal answers to one operation, with no other answer to it between them. Private: the change has the service's own words. */
export interface AnswerRun {
  operation: string
  /** Milliseconds from the start of the recording to the first and to the latest request. */
  at: number
  until: number
  times: number
  /** Milliseconds of the slowest request. */
  tookMs: number
  /** Null if no answer came; `code` is then the reason. */
  status: number | null
  code: string | null
  /** Bytes of the body. */
  bytes: number
  /** `json`, or what came instead, which is not kept. */
  body: 'json' | 'page' | 'text' | 'empty'
  contentType: string
  /** Milliseconds; absent if the service asked for none. */
  retryAfter: number | undefined
  /** Seconds by which the clock of the service is ahead. */
  clockAhead: number
  /** JSON text of the change from the latest body of this operation with the same status; absent if nothing changed. */
  change: string | undefined
}

/** The outcome of an HTTP attempt: the status is null without an answer, the code is that of the error if it failed. */
export type Outcome = Pick<AnswerRun, 'operation' | 'status' | 'code' | 'tookMs'>

/** The reason for which a recording has ended. */
export type TraceEnd = 'stopped' | 'time' | 'size'

/**
 * A recorder of what the service answers about one panel, in memory only. It makes no request, and sees the answers to those of
 * all nodes.
 */
export class TraceRecorder {
  readonly serial: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly runs: AnswerRun[] = []
  readonly #clock: Clock
  readonly #start: number
  readonly #latest = new Map<string, { run: AnswerRun; text: string }>()
  readonly #bodies = new Map<string, string>()
  /** The bytes that are kept. */
  bytes = 0
  #end: { reason: TraceEnd; at: number } | undefined

  constructor(serial: string, clock: Clock) {
    this.serial = serial
    this.#clock = clock
    this.startedAt = clock.wall()
    this.#start = clock.monotonic()
  }

  /** The reason of the end; undefined while it records. */
  get ended(): TraceEnd | undefined {
    if (this.#end === undefined && this.#clock.monotonic() - this.#start >= maxTraceTime) this.stop('time')
    return this.#end?.reason
  }

  /** The length in milliseconds. */
  get duration(): number {
    return Math.min((this.#end?.at ?? this.#clock.monotonic()) - this.#start, maxTraceTime)
  }

  /** The number of requests. */
  get requests(): number {
    return this.runs.reduce((sum, { times }) => sum + times, 0)
  }

  /** Ends the recording; what was recorded stays. */
  stop(reason: TraceEnd = 'stopped'): void {
    this.#end ??= { reason, at: this.#clock.monotonic() }
  }

  /**
   * Records the outcome of a request. Never throws.
   * @param reply undefined if no answer came
   * @param panel the serial number of the panel that the request was about; undefined for one about the account
   */
  note({ operation, status, code, tookMs }: Outcome, reply: Reply | undefined, panel = this.serial): void {
    if (panel !== this.serial || code === 'CLOSED' || this.ended !== undefined) return
    const at = Math.max(0, Math.round(this.#clock.monotonic() - this.#start - tookMs))
    const text = reply?.body ?? ''
    const seen = { operation, status, code: status === null ? code : null, ...headersOf(reply, this.#clock) }
    const latest = this.#latest.get(operation)
    if (latest !== undefined && latest.text === text && isAlike(latest.run, seen)) {
      const { run } = latest
      Object.assign(run, { times: run.times + 1, until: at, tookMs: Math.max(run.tookMs, tookMs) })
      return
    }
    const content = this.#contentOf(`${operation} ${status}`, text)
    const bytes = Buffer.byteLength(text)
    const run = { ...seen, at, until: at, times: 1, tookMs, bytes, ...content }
    this.bytes += runBytes + (run.change?.length ?? 0)
    if (this.bytes > maxTraceBytes) {
      this.stop('size')
      return
    }
    this.runs.push(run)
    this.#latest.set(operation, { run, text })
  }

  #contentOf(key: string, text: string): Pick<AnswerRun, 'body' | 'change'> {
    if (text === '') return { body: 'empty', change: undefined }
    const json = parseJson(text) as JsonValue | undefined
    if (json === undefined || isDeep(json, maxDepth))
      return { body: isPage(text) ? 'page' : 'text', change: undefined }
    const before = this.#bodies.get(key)
    const change = changeOf(before === undefined ? undefined : JSON.parse(before), json)
    this.#bodies.set(key, text)
    return { body: 'json', change: change && JSON.stringify(change) }
  }
}

function headersOf(
  reply: Reply | undefined,
  clock: Clock,
): Pick<AnswerRun, 'contentType' | 'retryAfter' | 'clockAhead'> {
  const now = clock.wall()
  const serviceTime = Date.parse(reply?.date ?? '') || now
  const ahead = Math.round((serviceTime - now) / second)
  const type = reply?.contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  return {
    contentType: type === '' || contentTypes.includes(type) ? type : 'other',
    retryAfter: parseRetryAfter(reply?.retryAfter, serviceTime),
    clockAhead: Math.abs(ahead) > clockTolerance ? ahead : 0,
  }
}

type Seen = Pick<AnswerRun, 'status' | 'code' | 'contentType' | 'retryAfter' | 'clockAhead'>

function isAlike(one: Seen, other: Seen): boolean {
  const isOnTime = Math.abs(one.clockAhead - other.clockAhead) <= clockTolerance
  const names = ['status', 'code', 'contentType', 'retryAfter'] as const
  return isOnTime && names.every((name) => one[name] === other[name])
}

function isDeep(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeep(member, levels - 1))
}
