import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../command.js'
import { inParallel } from '../mutation/in-parallel.js'
import { copyProject } from '../mutation/project-copy.js'
import { compile } from '../try/run-tests.js'
import { whileChanged } from './changed-copy.js'
import { bringBack } from './faults.js'
import { chooseTests, firstNoticing, liveIn } from './notice.js'
import { livesInWorld, plainTests, worlds } from './worlds.js'

/**
 * Shows faults to the columns of the table, and keeps each result at once. What is known is not measured again.
 * @param {import('./faults.js').Fault[]} faults
 * @param {string[]} columns
 * @param {{ root: string, inputs: number, most: number, jobs: number, again: boolean,
 *   results: import('./results.js').Results, signal: AbortSignal }} options `inputs` of each world, `most` test files
 */
export async function measure(faults, columns, options) {
  const { root, jobs, again, results, signal } = options
  const folder = await mkdtemp(join(tmpdir(), 'design-faults-'))
  // Temporary files that a killed test leaves are removed together with this folder.
  process.env.TMPDIR = folder
  try {
    await compile(root, signal)
    const copies = await Promise.all(
      Array.from({ length: jobs }, (_, job) => copyProject(root, join(folder, `project-${job}`))),
    )
    const measured = describeNow(root)
    const sound = new Map()
    await inParallel(faults, copies, async (fault, position, copy) => {
      const { sources, failure } = bringBack(fault, copy)
      if (failure !== undefined) throw new UserError(failure)
      for (const column of columns.filter((one) => again || !isKnown(results.of(fault, one), options))) {
        const look = { ...options, root: copy, sources, sound }
        const result = await (column === plainTests ? lookAtTests(look) : lookAtWorld(column, look))
        await results.keep(fault, column, { ...result, measured })
        console.error(`${position} of ${faults.length}: ${fault.name}, ${column}: ${JSON.stringify(result)}`)
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Tells if a result needs no further look: a world can be asked for more inputs than before. */
function isKnown(result, { inputs }) {
  return result !== undefined && (result.inputs === undefined || result.inputs >= inputs || result.first > 0)
}

async function lookAtTests({ root, sources, most, ...others }) {
  const tests = await chooseTests(root, [...sources.keys()], most)
  const look = () => firstNoticing(tests, { root, signal: others.signal })
  for (;;) {
    const file = await whileChanged(root, sources, others.signal, look)
    if (file === null) return { file }
    const alone = await withoutFault(file, others, async () => ({
      file: await firstNoticing([file], { root, signal: others.signal }),
    }))
    if (alone.file === null) {
      const isOfWorld = livesInWorld(await readFile(join(root, file), 'utf8'))
      return { file, ...(isOfWorld && { isOfWorld }) }
    }
    tests.splice(tests.indexOf(file), 1)
  }
}

async function lookAtWorld(column, { root, sources, inputs, ...others }) {
  const world = worlds.find(({ name }) => name === column)
  const look = () => liveIn(world, { root, signal: others.signal, inputs })
  const tried = world.isDirected ? {} : { inputs }
  const result = await whileChanged(root, sources, others.signal, look)
  if (result.first === null) return { ...tried, ...result }
  const sound = await withoutFault(`${column}, ${inputs}`, others, look)
  return sound.first === null ? { ...tried, ...result } : { ...tried, failure: 'fails without it' }
}

/** Looks at the sources as they are, once in a run: what fails without a fault has noticed nothing. */
async function withoutFault(what, { sound }, look) {
  if (!sound.has(what)) sound.set(what, await look())
  return sound.get(what)
}

function describeNow(root) {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
  return `${new Date().toISOString().slice(0, 10)}, ${commit}`
}
