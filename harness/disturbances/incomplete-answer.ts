import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import { ok } from '../../src/simulator/http/http-response.ts'

/** The operations whose answers are lists or have one. */
export const listOperations = ['devices', 'status', 'alarms', 'events'] as const

export type ListOperation = (typeof listOperations)[number]

/** The part of a list that an answer lacks: one entry, by its place, or all of them. */
export type Lack = number | 'all'

/** Returns an answer without some of its entries: devices, partitions, alarms or events. Errors are unchanged. */
export function incompleteAnswer(answer: HttpResponse, lack: Lack): HttpResponse {
  const { body } = answer
  if (answer.status !== 200) return answer
  if (Array.isArray(body)) return ok(shortened(body, lack))
  const { partitions } = (body ?? {}) as { partitions?: unknown }
  return Array.isArray(partitions)
    ? ok({ ...(body as object), partitions: shortened(partitions, lack) })
    : answer
}

function shortened(list: readonly unknown[], lack: Lack): readonly unknown[] {
  return lack === 'all' ? [] : list.toSpliced(lack % Math.max(1, list.length), 1)
}
