import { isDeepStrictEqual } from 'node:util'
import { day, minute } from '../../src/duration.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { Trace } from '../../src/simulator/trace-replay.ts'
import { processClock, processTime } from '../clock/process-fake-clock.ts'
import type { RunningFlow } from '../flow/running-flow.ts'
import type { FlowHarness } from '../flow.ts'
import type { FlowMessage } from '../recorder.ts'
import { bridgeTopic } from '../simulation/instance/broker.ts'
import { createTracePart, traceNodes } from './trace-flow.ts'

/** All that a flow told while a trace was replayed to it. */
export interface Told {
  /** The messages by node, in the order in which they came. */
  messages: ReadonlyMap<string, readonly FlowMessage[]>
  /** The codes of the errors that the Catch node got, in their order. */
  errors: readonly string[]
  /** The last status of each node. */
  statuses: ReadonlyMap<string, string>
  simulator: Simulator
}

/** Replays a trace to a flow with all kinds of nodes, on the fake clock at the time of the trace. */
export async function replayTrace(harness: FlowHarness, trace: Trace): Promise<Told> {
  const { api, duration, startedAt } = trace
  // The times of polls are places in the time of the monotonic clock, which earlier tests have moved.
  await processTime.pass(day - (processClock.monotonic() % day))
  const offset = startedAt - processClock.wall()
  processClock.stepWall(offset)
  const { random } = Math
  // Without the jitter of the polls, each replay has the same ones.
  Math.random = () => 0.5
  try {
    const simulator = await harness.startSimulator({ trace, maxLoggedRequests: 1e6 })
    const part = createTracePart(simulator, api === 'installer' ? 'service' : 'user', duration)
    const flow = await harness.startParts([part])
    flow.input('home', { topic: bridgeTopic, payload: 'online' })
    await processTime.pass(duration + minute)
    flow.input('health', {})
    await flow.output('health').next()
    return toldBy(flow, simulator)
  } finally {
    await harness.stopFlow()
    processClock.stepWall(-offset)
    Math.random = random
  }
}

function toldBy(flow: RunningFlow, simulator: Simulator): Told {
  const names = Object.keys(traceNodes)
  return {
    messages: new Map(names.map((name) => [name, [...flow.output(name).all]])),
    errors: flow.caught.all.map(({ error }) => String(error.code)),
    statuses: new Map(names.map((name) => [name, flow.status(name).all.at(-1)?.text ?? ''])),
    simulator,
  }
}

/** Returns all that was told as a text for a person: a line for each message, in the order of the answers that they came from. */
export function describeTold({ messages, errors, statuses }: Told, startedAt: number): string {
  const { home = [], health = [], ...polled } = Object.fromEntries(messages)
  const all = Object.entries(polled).flatMap(([node, own]) => own.map((message) => ({ node, message })))
  const isNews = ({ message: { reading } }: (typeof all)[number]) =>
    reading === undefined || reading.previous !== null
  const news = all.filter(isNews).map(({ node, message }) => ({
    at: Date.parse(message.fetchedAt) - startedAt,
    text: describe(node, message),
  }))
  return [
    `first readings: ${all.length - news.length}`,
    ...news.toSorted((one, other) => one.at - other.at).map(({ at, text }) => `${timeOf(at)} ${text}`),
    ...describePublications(home),
    ...errors.map((code) => `error ${code}`),
    ...health.slice(-1).map(({ payload }) => `health: ${describeHealth(payload)}`),
    ...[...statuses].map(([node, text]) => `status of ${node}: ${text}`),
    '',
  ].join('\n')
}

/** Topics of which a change is no news: figures about requests, and the announcements. */
const unremarkable = /\/(diagnostics\/state|announced|config)$/

/** Returns a line for each publication that is not the first one on its topic, with the members that differ. */
function describePublications(all: readonly FlowMessage[]): string[] {
  const known = new Map<string, string>()
  const lines = all.flatMap(({ topic, payload }) => {
    const before = known.get(topic)
    known.set(topic, payload)
    return before === undefined || unremarkable.test(topic)
      ? []
      : `home ${topic.replace(/^keyholder\/[^/]+\//, '')}: ${differenceOf(before, payload)}`
  })
  return [`topics of Home Assistant: ${known.size}`, ...lines]
}

function differenceOf(before: string, now: string): string {
  if (!now.startsWith('{')) return now
  const old = before.startsWith('{') ? JSON.parse(before) : {}
  const members = Object.entries(JSON.parse(now))
  return JSON.stringify(Object.fromEntries(members.filter(([name, it]) => !isDeepStrictEqual(it, old[name]))))
}

function describeHealth({ status, account, lastError, unknown }: FlowMessage): string {
  const { apiVersion, signIns } = account
  const unread = Object.values(unknown).flat()
  return `${status}, service ${apiVersion}, ${signIns} sign-ins, last error ${lastError?.code ?? 'none'}, unknown: ${unread.join(', ') || 'nothing'}`
}

/** Hours and minutes: a poll that comes a few seconds earlier or later is no difference. */
function timeOf(ms: number): string {
  const minutes = Math.floor(ms / minute)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

function describe(node: string, message: FlowMessage): string {
  const { topic, late, redelivered, panel, stale } = message
  const flags = { late, redelivered, stale, offline: !panel.online }
  const set = Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flag] : []))
  return `${node} ${topic}: ${detailsOf(node, message)}${set.length > 0 ? ` (${set.join(', ')})` : ''}`
}

function detailsOf(node: string, { payload, state, reading }: FlowMessage): string {
  switch (node) {
    case 'state': {
      const who = state.changedBy ? `, by ${state.changedBy.name}` : ''
      return `${payload}, was ${state.previous}, ${state.ready ? 'ready' : 'not ready'}${who}`
    }
    case 'readings':
      return `${JSON.stringify(payload)}, was ${JSON.stringify(reading.previous)}`
    case 'events': {
      const { time, label, description, actor, zone, zoneName, partitions } = payload
      return [time, label, description, `by ${actor}`, `zone ${zone} ${zoneName}`, `in ${partitions}`].join(
        ', ',
      )
    }
    case 'incident':
      return [payload.status, payload.news, payload.title, payload.summary].join(' | ')
    case 'conditions':
      return payload.map(({ text }: FlowMessage) => text).join(' | ') || 'none'
    default:
      return JSON.stringify(payload)
  }
}
