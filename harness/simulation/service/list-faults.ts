import type { Clock } from '../../../src/clock.ts'
import { second } from '../../../src/duration.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import type { HttpResponse } from '../../../src/simulator/http/http-response.ts'
import type { LoggedEvent } from '../../../src/simulator/world/event-log.ts'
import { incompleteAnswer } from '../../disturbances/incomplete-answer.ts'

/** The fields of a transport of a panel that tell if it works. */
interface Transport {
  readonly state: string
  readonly is_connected: boolean
}

/** The operations whose answers a cache keeps. */
const kept: readonly string[] = ['status', 'alarms', 'alerts', 'troubles', 'devices', 'events']

/**
 * A cache before the service keeps the first answer to each question, and sends it again with its age.
 * @param isThin true if the answers that it keeps lack an entry each
 */
export function keptAnswers(clock: Clock, isThin: boolean): Fault {
  const copies = new Map<string, { response: HttpResponse; at: number }>()
  return {
    name: isThin ? 'copies of a thin answer, with their age' : 'copies of an answer, with their age',
    answer: (getOriginal, { operation, path }) => {
      const now = clock.monotonic()
      if (!kept.includes(operation)) return getOriginal()
      const copy = copies.get(path)
      if (copy !== undefined) {
        const headers = { ...copy.response.headers, Age: `${Math.floor((now - copy.at) / second)}` }
        return { ...copy.response, headers }
      }
      const original = getOriginal()
      const response = isThin ? incompleteAnswer(original, 1) : original
      if (original.status === 200) copies.set(path, { response, at: now })
      return response
    },
  }
}

/** Returns a fault that changes lists of the service: those that are answers, and the partitions of the status. */
function changedLists(name: string, change: (list: readonly unknown[]) => readonly unknown[]): Fault {
  return {
    name,
    answer: (getOriginal, { operation }) => {
      const original = getOriginal()
      const { body } = original
      if (!kept.includes(operation) || original.status !== 200) return original
      if (Array.isArray(body)) return { ...original, body: change(body) }
      const { partitions } = (body ?? {}) as { partitions?: unknown }
      if (!Array.isArray(partitions)) return original
      return { ...original, body: { ...(body as object), partitions: change(partitions) } }
    },
  }
}

/** The entries of all lists come in the opposite order. */
export function reversedLists(): Fault {
  return changedLists('lists in the opposite order', (list) => list.toReversed())
}

/** Each entry of all lists comes twice. */
export function doubledLists(): Fault {
  return changedLists('lists with each entry twice', (list) => list.flatMap((entry) => [entry, entry]))
}

/**
 * The status shows all partitions as disarmed and ready, whatever the lists say.
 * @param isOnce true for one answer
 */
export function disarmedStatus(isOnce: boolean): Fault {
  let isOver = false
  return {
    name: isOnce ? 'one status disarmed' : 'status disarmed, whatever the lists say',
    answer: (getOriginal, { operation }) => {
      const original = getOriginal()
      const { partitions } = (original.body ?? {}) as { partitions?: unknown }
      if (isOver || operation !== 'status' || !Array.isArray(partitions)) return original
      isOver = isOnce
      const disarmed = partitions.map((one) => ({ ...one, state: 'DISARM', status: '', ready: true }))
      return { ...original, body: { ...(original.body as object), partitions: disarmed } }
    },
  }
}

/** The newest events leave the list, and older ones come back in their place. */
export function changedEvents(gone: ReadonlySet<number>, returned: readonly LoggedEvent[]): Fault {
  return {
    name: 'newest events lost',
    answer: (getOriginal, { operation }) => {
      const original = getOriginal()
      if (operation !== 'events' || !Array.isArray(original.body)) return original
      return { ...original, body: [...returned, ...original.body.filter(({ event }) => !gone.has(event))] }
    },
  }
}

/** The list of alarms is empty, whatever the status says. */
export function noAlarms(): Fault {
  return {
    name: 'no alarms, whatever the status says',
    answer: (getOriginal, { operation }) => {
      const original = getOriginal()
      return operation === 'alarms' && original.status === 200 ? { ...original, body: [] } : original
    },
  }
}

/** The status names a transport that works with a word that nobody knows. */
export function unknownTransports(): Fault {
  return {
    name: 'transports in a state that nobody knows',
    answer: (getOriginal, { operation }) => {
      const original = getOriginal()
      const body = (original.body ?? {}) as Record<string, unknown>
      if (operation !== 'status' || original.status !== 200) return original
      const transports = Object.entries((body.connected_status ?? {}) as Record<string, Transport>)
      const renamed = Object.fromEntries(
        transports.map(([name, one]) => [name, one.is_connected ? { ...one, state: 'STANDBY' } : one]),
      )
      return { ...original, body: { ...body, connected_status: renamed } }
    },
  }
}
