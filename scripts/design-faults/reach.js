import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../command.js'
import { findInnermost, isRun, runCovered } from '../mutation/coverage.js'
import { whileChanged } from './changed-copy.js'
import { endedByProcessorTime } from './notice.js'

/** The random inputs of each property with which a world shows what it runs. */
export const inputsForReach = 10

/**
 * The functions of the modules, by path, that a world knows; undefined if it fails as the project is.
 * @typedef {Map<string, { startOffset: number, endOffset: number, count: number }[]> | undefined} Functions
 */

/**
 * Lives in a world with nothing changed, and finds the functions that it runs.
 * @param {{ files: string[] }} world
 * @param {{ root: string, signal: AbortSignal, folder: string }} options `folder` is for temporary files
 * @returns {Promise<Functions>}
 */
export async function findFunctions({ files }, options) {
  const limits = endedByProcessorTime({ SEED: '1', INPUTS: String(inputsForReach) })
  const { modules, failure } = await runCovered(files, { ...options, ...limits })
  if (failure !== undefined) {
    console.error(failure)
    return undefined
  }
  return new Map(
    modules.map(({ module, functions }) => {
      const ranges = functions.map(({ ranges: [range] }) => range)
      // Each module is run when it is loaded, which tells nothing: its own lines are run if it is used at all.
      const own = ranges.find(({ startOffset }) => startOffset === 0)
      if (own !== undefined) own.count = functions.some(isRun) ? 1 : 0
      return [module, ranges]
    }),
  )
}

/**
 * Tells if any of the changed lines can be run.
 * @param {Functions} functions of a world
 * @param {Map<string, number[]>} changes as `findChanges` gives them
 */
export function reaches(functions, changes) {
  if (functions === undefined) return true
  return [...changes].some(([module, offsets]) =>
    offsets.some((offset) => findInnermost(functions.get(module) ?? [], offset)?.count > 0),
  )
}

/**
 * Finds where a fault changes the modules of a copy of the project.
 * @param {string} root of the copy
 * @param {Map<string, string>} sources with the fault
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, number[]>>} for each module, by path, offsets in it as it is: where lines differ, or are added
 */
export async function findChanges(root, sources, signal) {
  const modules = [...sources.keys()].map((file) => file.replace(/ts$/, 'js'))
  const read = async () => modules.map((module) => readFileSync(join(root, module), 'utf8'))
  const sound = await read()
  const changed = await whileChanged(root, sources, signal, read)
  // Beside the copy, in the folder that is removed at the end.
  const files = [`${root}-before.js`, `${root}-after.js`]
  return new Map(
    modules.map((module, at) => {
      writeFileSync(files[0], sound[at])
      writeFileSync(files[1], changed[at])
      return [module, offsetsOfHunks(differenceOf(files), sound[at])]
    }),
  )
}

function differenceOf(files) {
  const args = ['diff', '--no-index', '--unified=0', '--no-color', '--no-ext-diff', '--', ...files]
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' })
  if (status !== 0 && status !== 1) throw new UserError(`git diff does not work: ${stderr}`)
  return stdout
}

/**
 * Returns the offsets of the hunks of a difference without lines around them.
 * @param {string} difference in the form of `git diff --unified=0`
 * @param {string} sound the source before
 */
export function offsetsOfHunks(difference, sound) {
  const lines = sound.split('\n')
  const starts = [0]
  for (const line of lines) starts.push(starts.at(-1) + line.length + 1)
  const offsets = []
  for (const [, first, count = '1'] of difference.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)) {
    // Added lines come behind the end of the line that is named.
    if (count === '0') offsets.push(Math.max(0, starts[Number(first)] - 1))
    for (let at = Number(first) - 1; at < Number(first) - 1 + Number(count); at += 1)
      offsets.push(starts[at] + lines[at].search(/\S|$/))
  }
  return offsets
}
