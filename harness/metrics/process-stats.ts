import type { NodeRedProcess } from '../node-red/node-red-process.ts'

/** What a Node-RED process takes up. */
export interface ProcessStats {
  /** Bytes of the heap in use after all garbage is collected, without compiled code, which grows with what has run. */
  heap: number
  /** Open sockets, running timers and requests, by kind. */
  handles: Record<string, number>
  /** Listeners of the process and of Node-RED's own events. */
  listeners: Record<string, number>
  /** Living objects of classes that pile up where something is not let go of. */
  objects: Record<string, number>
}

const path = 'inner-figures'

/** JavaScript for settings.js with which a Node-RED that was started with `--expose-gc` tells its figures. */
export const processStatsCode = `
const { getHeapCodeStatistics, queryObjects } = require('node:v8')
const { events } = require('node:module').createRequire(process.argv[1])('@node-red/util')
const listeners = (emitter) => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
const turn = () => new Promise((resolve) => setImmediate(resolve))
const figures = async () => {
  // What finalizers let go of is collected in another round.
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
    objects: { AbortSignal: queryObjects(AbortSignal), Socket: queryObjects(require('node:net').Socket) },
  }
}
module.exports.httpAdminMiddleware = (request, response, next) => {
  if (request.path === '/${path}') figures().then((found) => response.json(found), next)
  else next()
}
`

/** The least of several looks: what is under way at the moment of one is done with at another. */
export async function readProcessStats(nodeRed: NodeRedProcess): Promise<ProcessStats> {
  const looks: ProcessStats[] = []
  for (let look = 0; look < 4; look += 1) looks.push(await nodeRed.get<ProcessStats>(path))
  return {
    heap: Math.min(...looks.map(({ heap }) => heap)),
    handles: least(looks.map(({ handles }) => handles)),
    listeners: least(looks.map(({ listeners }) => listeners)),
    objects: least(looks.map(({ objects }) => objects)),
  }
}

function least(counts: readonly Record<string, number>[]): Record<string, number> {
  const kinds = new Set(counts.flatMap((count) => Object.keys(count)))
  return Object.fromEntries(
    [...kinds].map((kind) => [kind, Math.min(...counts.map((count) => count[kind] ?? 0))]),
  )
}
