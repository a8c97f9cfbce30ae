import { join } from 'node:path'
import { NodeRedProcess } from '../../harness/node-red/node-red-process.ts'
import {
  fillUserDirectory,
  linkPalette,
  removeDirectory,
  temporaryDirectory,
} from '../../harness/node-red/user-directory.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installPalette, own, peers } from '../palettes.ts'

/** The cost of a palette in Node-RED. */
interface Load {
  /** Milliseconds of CPU time: wall-clock time would include other processes on a busy machine. */
  time: number
  /**
   * Bytes in use, on and off the heap; resident memory depends on the free memory that Node-RED already had.
   */
  memory: number
}

/**
 * JavaScript for settings.js: Node-RED itself loads a palette from its user directory, and the route returns
 * the cost. What is loaded on first use is imported by its name, as the palette does it.
 */
const loadingCode = `
const { createRequire } = require('node:module')
const { addModule } = createRequire(process.argv[1])('@node-red/registry/lib/loader')
const turn = () => new Promise((resolve) => setTimeout(resolve, 50))
const memory = () => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
const cost = async (work) => {
  gc()
  await turn()
  const before = memory()
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  gc()
  await turn()
  return { time: (user + system) / 1000, memory: memory() - before }
}
const routes = {
  '/load': ({ palette }) => addModule(palette),
  '/use': ({ manifest, name }) => import(createRequire(manifest).resolve(name)),
}
module.exports.httpAdminMiddleware = (request, response, next) => {
  const work = routes[request.path]
  if (work === undefined) next()
  else cost(() => work(request.query)).then((found) => response.json(found), next)
}
`

/**
 * The modules that are imported when the first account and panel are opened, nodes of every type use them and the first
 * request is sent; not before. Without a cluster, the demo and dialogs.
 */
const onFirstUse = ['./dist/client.js', './dist/home-assistant-behavior.js', 'got']

/**
 * Time and memory of a palette in a real Node-RED, compared with the best of the peers, after loading and
 * after the first use.
 */
export default async function loading(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const ours = await loadsOf(own, surroundings)
  const theirs: Load[] = []
  for (const peer of peers) theirs.push((await loadsOf(peer, surroundings)).loaded)
  const best = (what: keyof Load) => Math.min(...theirs.map((load) => load[what]))
  return [
    ...comparisons('at the load', ours.loaded, 0.2),
    ...comparisons('after the first use', ours.used, 1.1),
  ]

  function comparisons(what: string, { time, memory }: Load, goal: number): Comparison[] {
    return [
      { what: `${what}, time`, ours: time, theirs: best('time'), unit: 'ms', goal },
      { what: `${what}, memory`, ours: memory / 1e6, theirs: best('memory') / 1e6, unit: 'MB', goal },
    ]
  }
}

/**
 * Returns the cost of a palette after loading, and in total after first use, of one process.
 * @param installed the folder of the palette, if it is not installed as by a user
 */
export async function loadsOf(
  palette: string,
  surroundings: BenchmarkOptions,
  installed?: string,
): Promise<{ loaded: Load; used: Load }> {
  const target = installed ?? join(await installPalette(palette, surroundings), 'node_modules', palette)
  surroundings.progress(`loading ${palette}`)
  const userDir = await temporaryDirectory()
  await fillUserDirectory(userDir, { code: loadingCode })
  const nodeRed = new NodeRedProcess(userDir, { nodeOptions: ['--expose-gc'] })
  try {
    await nodeRed.url
    // Not earlier, or Node-RED would load it with all the others at the start.
    await linkPalette(userDir, palette, target)
    const loaded = await nodeRed.get<Load>(`load?palette=${palette}`)
    const used = { ...loaded }
    const manifest = encodeURIComponent(join(target, 'package.json'))
    for (const name of palette === own ? onFirstUse : []) {
      const use = await nodeRed.get<Load>(`use?manifest=${manifest}&name=${encodeURIComponent(name)}`)
      used.time += use.time
      used.memory += use.memory
    }
    return { loaded, used }
  } finally {
    await nodeRed.kill()
    await removeDirectory(userDir)
  }
}
