import { join } from 'node:path'
import { NodeRedProcess } from '../../test/support/node-red-process.ts'
import {
  fillUserDirectory,
  linkPalette,
  removeDirectory,
  temporaryDirectory,
} from '../../test/support/user-directory.ts'
import { type Comparison, median } from '../comparison.ts'
import type { Surroundings } from '../measures.ts'
import { installed, own, peers } from '../palettes.ts'

const runs = 5

/** What a palette costs a Node-RED. */
interface Load {
  /** Milliseconds of the processor: on a busy machine the clock on the wall would tell of others. */
  time: number
  /** Bytes in use, of the heap and beside it; what is resident depends on the room that Node-RED has left. */
  memory: number
}

/**
 * JavaScript for settings.js: Node-RED itself loads a palette that has come into its user directory, and the route
 * tells what that took. What is loaded on first use is asked for by name.
 */
const loadingCode = `
const { addModule } = require('node:module').createRequire(process.argv[1])('@node-red/registry/lib/loader')
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
  '/use': ({ file }) => import(file),
}
module.exports.httpAdminMiddleware = (request, response, next) => {
  const work = routes[request.path]
  if (work === undefined) next()
  else cost(() => work(request.query)).then((found) => response.json(found), next)
}
`

/** What is imported when the first account and panel are opened and nodes of every kind use them; until then none of it is. */
const onFirstUse = [
  'nodes/shared/open-account.js',
  'src/panel/settings.js',
  'src/panel/panel.js',
  ...['command', 'events', 'health', 'query', 'readings', 'state'].map(
    (name) => `nodes/behaviours/${name}.js`,
  ),
]

/** Time and memory of a palette in a real Node-RED, beside the best of the peers, at the load and after the first use. */
export default async function loading(surroundings: Surroundings): Promise<Comparison[]> {
  const ours = await loadsOf(own, surroundings)
  const theirs: Load[] = []
  for (const peer of peers) theirs.push((await loadsOf(peer, surroundings)).loaded)
  const best = (what: keyof Load) => Math.min(...theirs.map((load) => load[what]))
  return [
    ...comparisons('at the load', ours.loaded, 0.25),
    ...comparisons('after the first use', ours.used, 1.1),
  ]

  function comparisons(what: string, { time, memory }: Load, goal: number): Comparison[] {
    return [
      { what: `${what}, time`, ours: time, theirs: best('time'), unit: 'ms', goal },
      { what: `${what}, memory`, ours: memory / 1e6, theirs: best('memory') / 1e6, unit: 'MB', goal },
    ]
  }
}

/** What a palette costs at the load, and in all once it is used; of each figure the median of several processes. */
async function loadsOf(palette: string, surroundings: Surroundings): Promise<{ loaded: Load; used: Load }> {
  const target = join(await installed(palette, surroundings), 'node_modules', palette)
  surroundings.progress(`loading ${palette}`)
  const loads: Load[] = []
  const uses: Load[] = []
  for (let run = 0; run < runs; run += 1) {
    const userDir = await temporaryDirectory()
    await fillUserDirectory(userDir, { code: loadingCode })
    const nodeRed = new NodeRedProcess(userDir, { nodeOptions: ['--expose-gc'] })
    try {
      await nodeRed.url
      // Only now, or it would be loaded with all the others at the start.
      await linkPalette(userDir, palette, target)
      const load = await nodeRed.get<Load>(`load?palette=${palette}`)
      const sum = { ...load }
      for (const file of palette === own ? onFirstUse : []) {
        const use = await nodeRed.get<Load>(`use?file=${encodeURIComponent(join(target, file))}`)
        sum.time += use.time
        sum.memory += use.memory
      }
      loads.push(load)
      uses.push(sum)
    } finally {
      await nodeRed.kill()
      await removeDirectory(userDir)
    }
  }
  const middle = (all: Load[]): Load => ({
    time: median(all.map(({ time }) => time)),
    memory: median(all.map(({ memory }) => memory)),
  })
  return { loaded: middle(loads), used: middle(uses) }
}
