import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../command.js'
import { filesBelow } from '../files-below.js'
import { findMutants } from './mutants.js'

/**
 * Lists the files of a project that are in the given folders or are given themselves.
 * @param {string} root
 * @param {string[]} places folders and files relative to the root; a `.ts` means the `.js` next to it
 * @param {string} ending
 * @returns {Promise<string[]>} paths with slashes, relative to the root
 */
export async function listFiles(root, places, ending) {
  return [...new Set(places.flatMap((place) => listPlace(root, place.replace(/\/+(\*\*.*)?$/, ''), ending)))]
}

function listPlace(root, place, ending) {
  const file = place.replace(/\.ts$/, '.js')
  if (file.endsWith('.js') && existsSync(join(root, file))) return [file]
  const found = filesBelow(root, place, ending)
  if (found.length === 0) throw new UserError(`No ${ending} file is in ${place}.`)
  return found
}

/**
 * Finds the mutants of emitted modules.
 * @returns {Promise<object[]>} as `findMutants` does, each with `file` and `source` of its module
 */
export async function readMutants(root, places) {
  const files = await listFiles(root, places, '.js')
  const mutants = files.map(async (file) => {
    const source = await readFile(join(root, file), 'utf8')
    return findMutants(source).map((mutant) => ({ ...mutant, file, source }))
  })
  return (await Promise.all(mutants)).flat()
}
