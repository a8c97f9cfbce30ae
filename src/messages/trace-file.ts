import type { Account } from '../account/account.ts'
import type { Change, ListStep } from '../account/requests/json-change.ts'
import {
  type AnswerRun,
  maxTraceBytes,
  type TraceEnd,
  type TraceRecorder,
} from '../account/requests/trace-recorder.ts'
import { knownFields } from '../panel/diagnostics/known-words.ts'
import { type Redaction, redactAll } from '../panel/diagnostics/redaction.ts'
import type { JsonValue } from '../service/schema.ts'
import { about, shortVersion } from './diagnostics-file.ts'
import type { Versions } from './health-message.ts'

/** The first line of a trace. `keyholder-simulator --replay` reads it. */
interface TraceHead {
  format: 'keyholder-trace-1'
  /** ISO 8601 in UTC. */
  startedAt: string
  about: string
  versions: Versions
  account: { type: Account['settings']['api']; apiVersion: string | null }
  /** The stand-in of the panel's serial number, as in the answers. */
  serial: JsonValue
  /** The length in milliseconds, and why it has ended; `running` if it has not. */
  duration: number
  ended: TraceEnd | 'running'
  requests: number
}

/** A line of a trace after the first: equal answers to one operation, see `AnswerRun`. What is usual is left out. */
interface TraceLine {
  at: number
  op: string
  status?: number
  /** The code of the error, if no answer came. */
  error?: string
  times?: number
  until?: number
  ms: number
  bytes?: number
  body?: Exclude<AnswerRun['body'], 'json'>
  type?: string
  retryAfter?: number
  clockAhead?: number
  change?: Change
}

/** All that a trace is made of. */
interface TraceFacts {
  trace: TraceRecorder
  versions: Versions
  account: Pick<Account, 'settings' | 'health'>
}

/**
 * Returns the text of a trace: a line of JSON for its head, and one for each run of equal answers, in the order of their first
 * requests. It has at most 5 MB; lines beyond are left out, and the head says so. Nothing in it is private.
 */
export function traceFile({ trace, versions, account }: TraceFacts): string {
  const { serial: own, lines } = redactAll((redaction) => ({
    serial: (redaction.value({ serial: trace.serial }, '') as { serial: JsonValue }).serial,
    lines: trace.runs.map((run) => lineOf(run, redaction)),
  }))
  const texts = lines.map((line) => JSON.stringify(line))
  const fitting = countFitting(texts)
  const head: TraceHead = {
    format: 'keyholder-trace-1',
    startedAt: new Date(trace.startedAt).toISOString(),
    about,
    versions,
    account: { type: account.settings.api, apiVersion: shortVersion(account.health.apiVersion ?? null) },
    serial: own,
    duration: Math.round(trace.duration),
    ended: fitting < texts.length ? 'size' : (trace.ended ?? 'running'),
    requests: trace.requests,
  }
  return [JSON.stringify(head), ...texts.slice(0, fitting), ''].join('\n')
}

/** Returns the number of lines that a file may have, besides its head. */
function countFitting(lines: readonly string[]): number {
  let left = maxTraceBytes - 1000
  const beyond = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1
    return left < 0
  })
  return beyond < 0 ? lines.length : beyond
}

function lineOf(run: AnswerRun, redaction: Redaction): TraceLine {
  const { at, until, times, status, bytes, body, contentType, retryAfter, clockAhead } = run
  const isUsualType = contentType === (body === 'page' ? 'text/html' : 'application/json')
  return {
    at,
    op: run.operation,
    ...(status === null ? { error: run.code ?? 'NETWORK' } : { status }),
    ...(times > 1 && { times, until }),
    ms: Math.round(run.tookMs),
    ...(status !== null && { bytes }),
    ...(body !== 'json' && status !== null && { body }),
    ...(!isUsualType && contentType !== '' && { type: contentType }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(clockAhead !== 0 && { clockAhead }),
    ...(run.change !== undefined && { change: redactChange(JSON.parse(run.change), '', redaction) }),
  }
}

/** @param field as in `Redaction` */
function redactChange(change: Change, field: string, redaction: Redaction): Change {
  if (change[0] === '=') return ['=', redaction.value(change[1], field)]
  if (change[0] === '[') return ['[', change[1].map((step) => redactStep(step, field, redaction))]
  const members = Object.entries(change[1]).map(([name, member]) => [
    redaction.name(name),
    redactChange(member, knownFields.has(name) ? name : '', redaction),
  ])
  return ['{', Object.fromEntries(members), change[2].map((name) => redaction.name(name))]
}

function redactStep(step: ListStep, field: string, redaction: Redaction): ListStep {
  if (typeof step === 'number') return step
  return step[0] === '+' ? ['+', redaction.value(step[1], field)] : redactChange(step, field, redaction)
}
