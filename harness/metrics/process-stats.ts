import type { NodeRedProcess } from '../node-red/node-red-process.ts'

/** The resources that a Node-RED process uses. */
export interface ProcessStats {
  /**
   * Bytes of the used heap after garbage collection, without compiled code, which grows with every function that
   * runs.
   */
  heap: number
  /** The number of open sockets, timers and requests by kind. */
  handles: Record<string, number>
  /** The number of listeners of the process and of Node-RED's events. */
  listeners: Record<string, number>
}

const path = 'process-stats'

/** JavaScript for settings.js that adds a route for the statistics to a Node-RED started with `--expose-gc`. */
export const processStatsCode = `
const { getHeapCodeStatistics, queryObjects } = require('node:v8')
const { events } = require('node:module').createRequire(process.argv[1])('@node-red/util')
const listeners = (emitter) => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
const turn = () => new Promise((resolve) => setImmediate(resolve))
const figures = async () => {
  // Finalizers release objects that the next round collects.
  for (let round = 0; round < 2; round += 1) {
    gc()
    await turn()
  }
  const handles = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  const code = getHeapCodeStatistics()
  return {
    heap: process.memoryUsage().heapUsed - code.code_and_metadata_size - code.bytecode_and_metadata_size,
    handles,
    listeners: { process: listeners(process), nodeRed: listeners(events) },
  }
}
const objects = () => ({ AbortSignal: queryObjects(AbortSignal), Socket: queryObjects(require('node:net').Socket) })
module.exports.httpAdminMiddleware = (request, response, next) => {
  if (request.path === '/${path}') figures().then((found) => response.json(found), next)
  else if (request.path === '/${path}/objects') response.json(objects())
  else next()
}
`

/** Returns the lowest values of several readings, because work in progress increases single readings. */
export async function readProcessStats(nodeRed: NodeRedProcess, readings = 4): Promise<ProcessStats> {
  const looks: ProcessStats[] = []
  for (let look = 0; look < readings; look += 1) looks.push(await nodeRed.get<ProcessStats>(path))
  return lowestStats(looks)
}

/**
 * Returns the number of objects by class, of the classes that accumulate in a leak. Rarely call it: for each class, the
 * engine collects garbage several times and goes through the whole heap, which takes half a second.
 */
export function countObjects(nodeRed: NodeRedProcess): Promise<Record<string, number>> {
  return nodeRed.get(`${path}/objects`)
}

/** Returns the lowest value of each figure: a leak is in all of them, and work in progress is not. */
export function lowestStats(looks: readonly ProcessStats[]): ProcessStats {
  return {
    heap: Math.min(...looks.map(({ heap }) => heap)),
    handles: least(looks.map(({ handles }) => handles)),
    listeners: least(looks.map(({ listeners }) => listeners)),
  }
}

function least(counts: readonly Record<string, number>[]): Record<string, number> {
  const kinds = new Set(counts.flatMap((count) => Object.keys(count)))
  return Object.fromEntries(
    [...kinds].map((kind) => [kind, Math.min(...counts.map((count) => count[kind] ?? 0))]),
  )
}
