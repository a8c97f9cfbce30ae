import { minute, second } from '../../src/duration.ts'
import type { Trace } from '../../src/simulator/trace-replay.ts'
import type { FlowMessage } from '../recorder.ts'
import type { Told } from './replay-trace.ts'
import { requestsPerMinute } from './trace-flow.ts'

/** The longest way of an answer through a flow, in milliseconds. */
const answerTime = 15 * second

interface StatusBody {
  connected?: boolean
  partitions?: { id: number; state: string; status?: string }[]
}

/** Returns sentences about what was told and must not be told so, whatever the trace is; empty if all is right. */
export function auditTold(trace: Trace, told: Told): string[] {
  return [...auditEvents(trace, told), ...auditStates(trace, told), ...auditBudget(told)]
}

/** Each event of a list that the first list did not have must be told, and once if it is not flagged. */
function auditEvents(trace: Trace, { messages }: Told): string[] {
  const lists = successesOf<{ event?: number }[]>(trace, 'events').map(({ body }) =>
    body.map(({ event = 0 }) => event),
  )
  const known = new Set(lists[0])
  const expected = new Set(lists.flat().filter((id) => id > 0 && !known.has(id)))
  const all = messages.get('events') ?? []
  const toldIds = all.filter(({ redelivered }) => !redelivered).map(({ payload }) => Number(payload.id))
  const lost = [...expected].filter((id) => !all.some(({ payload }) => payload.id === id))
  const twice = toldIds.filter((id, index) => id > 0 && toldIds.indexOf(id) !== index)
  const invented = toldIds.filter((id) => id > 0 && !expected.has(id))
  return [
    ...lost.map((id) => `event ${id} was not told`),
    ...twice.map((id) => `event ${id} was told twice`),
    ...invented.map((id) => `event ${id} was told, and no list had it after the first`),
  ]
}

/** The state in a message must be one that an answer had at its time, and the last one that of the last answer. */
function auditStates(trace: Trace, { messages }: Told): string[] {
  const answers = successesOf<StatusBody>(trace, 'status')
  if (answers.length === 0) return []
  // Without a list of alarms, the events tell of them.
  const alarms = successesOf<unknown[]>(trace, 'alarms')
  const states = messages.get('state') ?? []
  const untrue = states.filter((message) => {
    const at = Date.parse(message.fetchedAt) - trace.startedAt
    const isInForce = ({ from, to }: Period) => from <= at && to >= at - answerTime
    const hasAlarm = alarms.length === 0 || alarms.some((one) => isInForce(one) && one.body.length > 0)
    if (message.payload === 'ALARM') return !hasAlarm
    return !answers.some((one) => isInForce(one) && isStateOf(message, one.body))
  })
  const last = answers.at(-1)?.body ?? {}
  const latest = new Map(states.map((message) => [message.partition.id, message]))
  const outdated = [...latest.values()].filter(
    (message) => message.payload !== 'ALARM' && !isStateOf(message, last),
  )
  return [
    ...untrue.map(({ topic, payload, fetchedAt }) => `${topic} was told to be ${payload} at ${fetchedAt}`),
    ...outdated.map(({ topic, payload }) => `${topic} was last told to be ${payload}`),
  ]
}

function isStateOf({ payload, partition }: FlowMessage, { partitions = [] }: StatusBody): boolean {
  const own = partitions.find(({ id }) => id === partition.id)
  if (own === undefined) return false
  return payload === (own.status === 'EXIT' ? 'ARMING' : own.state)
}

/** No minute, wherever it begins, may have more requests than the limit. */
function auditBudget({ simulator }: Told): string[] {
  const times = simulator.requests.map(({ at }) => at)
  const isOver = (at: number, index: number) => {
    const next = times[index + requestsPerMinute]
    return next !== undefined && next - at < minute
  }
  return times.some(isOver) ? [`more than ${requestsPerMinute} requests in a minute`] : []
}

/** Milliseconds from the start: an answer is in force until the next one. */
interface Period {
  from: number
  to: number
}

interface Success<T> extends Period {
  body: T
}

function successesOf<T>({ answers }: Trace, operation: string): Success<T>[] {
  const own = answers.filter(({ operation: name, response }) => name === operation && response.status === 200)
  return own.map(({ at, response }, index) => ({
    from: index === 0 ? 0 : at,
    to: own[index + 1]?.at ?? Number.POSITIVE_INFINITY,
    body: response.body as T,
  }))
}
