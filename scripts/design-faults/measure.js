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
import { findChanges, findFunctions, reaches } from './reach.js'
import { liveSoundly, liveUntilUntrue } from './simulated-lives.js'
import { livesInWorld, plainTests, worlds } from './worlds.js'

/** So many random inputs are tried first, then so many: most faults are noticed by the first ones, which are cheap. */
const firstRounds = [10, 50]

/**
 * Shows faults to the columns of the table, and keeps each result at once. What is known is not measured again. All columns get few
 * random inputs before any gets many.
 * @param {import('./faults.js').Fault[]} faults
 * @param {string[]} columns
 * @param {{ root: string, inputs: number, most: number, jobs: number, again: boolean,
 *   results: import('./results.js').Results, signal: AbortSignal }} options `inputs` of each world, `most` test files
 */
export async function measure(faults, columns, options) {
  const { root, jobs, signal } = options
  const folder = await mkdtemp(join(tmpdir(), 'design-faults-'))
  // Temporary files that a killed test leaves are removed together with this folder.
  process.env.TMPDIR = folder
  try {
    await compile(root, signal)
    const copies = await Promise.all(
      Array.from({ length: jobs }, (_, job) => copyProject(root, join(folder, `project-${job}`))),
    )
    const run = new Run(faults, columns, copies, { ...options, folder, measured: describeNow(root) })
    const rounds = [...firstRounds.filter((few) => few < options.inputs), options.inputs]
    for (const inputs of rounds) await run.look(inputs, inputs === rounds[0])
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A run of the measure, with what it knows of the project without a fault. */
class Run {
  #faults
  #columns
  #copies
  #options
  #sound = new Map()
  #functions = new Map()

  constructor(faults, columns, copies, options) {
    this.#faults = faults
    this.#columns = columns
    this.#copies = copies
    this.#options = options
  }

  /** Shows the faults that are still open to the columns, each with so many random inputs. */
  async look(inputs, isFirst) {
    const { results, again } = this.#options
    const isOpen = (fault, column) => !isKnown(results.of(fault, column), inputs) || (again && isFirst)
    for (const column of this.#columns) {
      const open = this.#faults.filter((fault) => isOpen(fault, column))
      const functions =
        column === plainTests || open.length === 0 ? undefined : await this.#findFunctions(column)
      await inParallel(open, this.#copies, async (fault, position, copy) => {
        const result = await this.#lookAt(fault, { column, inputs, functions, root: copy })
        results.keep(fault, column, { ...result, measured: this.#options.measured })
        console.error(`${column}, ${position} of ${open.length}: ${fault.name}: ${JSON.stringify(result)}`)
      })
    }
  }

  async #lookAt(fault, { column, inputs, functions, root }) {
    const { signal, most } = this.#options
    const { sources, failure } = bringBack(fault, root)
    if (failure !== undefined) throw new UserError(failure)
    const look = { root, sources, signal, sound: this.#sound }
    if (column === plainTests) return await lookAtTests({ ...look, most })
    const world = worlds.find(({ name }) => name === column)
    if (functions !== undefined && !(await this.#isReached(look, functions))) return { isReached: false }
    if (world.kinds !== undefined)
      return await lookAtLives(world, { ...look, inputs, folder: this.#options.folder })
    return await lookAtWorld(world, { ...look, inputs })
  }

  /** Tells if a world can notice a fault at all. */
  async #isReached({ root, sources, signal }, functions) {
    return reaches(functions, await findChanges(root, sources, signal))
  }

  /** Finds the functions that a world runs, once in a run. */
  async #findFunctions(column) {
    if (!this.#functions.has(column)) {
      const { folder, signal } = this.#options
      const world = worlds.find(({ name }) => name === column)
      const options = { root: this.#copies[0], signal, folder }
      this.#functions.set(column, world.hasCopies ? undefined : await findFunctions(world, options))
    }
    return this.#functions.get(column)
  }
}

/** Tells if a result needs no further look: a world can be asked for more inputs than before. */
function isKnown(result, inputs) {
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

async function lookAtWorld(world, { root, sources, inputs, sound, signal }) {
  const look = () => liveIn(world, { root, signal, inputs })
  const tried = world.isDirected ? {} : { inputs }
  const result = await whileChanged(root, sources, signal, look)
  if (result.first === null) return { ...tried, ...result }
  const alone = await withoutFault(`${world.name}, ${inputs}`, { sound }, look)
  // What fails without the fault too, but later, has noticed it.
  const hasNoticed = alone.first === null || result.first < alone.first
  return { ...tried, ...(hasNoticed ? result : { failure: 'fails without it' }) }
}

/** What a life tells that is untrue without the fault, too, counts for nothing. */
async function lookAtLives(world, { root, sources, inputs, sound, signal, folder }) {
  const place = { root, signal, folder }
  const lives = await withoutFault(`${world.name}, ${inputs}`, { sound }, () =>
    liveSoundly(world, inputs, place),
  )
  const result = await whileChanged(root, sources, signal, () =>
    liveUntilUntrue(world, inputs, { ...place, lives }),
  )
  return { inputs, ...result }
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
