import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyHunks, readPatch } from './patch.js'

/** The folder with the patches. */
export const faultFolder = 'test/design-faults'

/**
 * A fault of design that the product once had, or nearly had.
 * @typedef {object} Fault
 * @property {string} name that of its file
 * @property {string} says what goes wrong for the user
 * @property {string} found where it was found
 * @property {{ file: string, hunks: { before: string, after: string }[] }[]} patch brings it back
 */

/**
 * Reads all faults that are kept as patches, by name.
 * @param {string} root the folder of the project
 * @returns {Fault[]}
 */
export function readFaults(root) {
  const names = readdirSync(join(root, faultFolder)).filter((name) => name.endsWith('.patch'))
  return names.sort().map((file) => {
    const text = readFileSync(join(root, faultFolder, file), 'utf8')
    const [says = '', found = ''] = text.split('\n')
    return {
      name: file.replace(/\.patch$/, ''),
      says,
      found: found.replace(/^Found: /, ''),
      patch: readPatch(text),
    }
  })
}

/**
 * Returns the sources as they are with a fault.
 * @param {Fault} fault
 * @param {string} root
 * @returns {{ sources: Map<string, string>, failure: string | undefined }} by path; a sentence with the remedy if the patch does
 *   not fit
 */
export function bringBack({ name, patch }, root) {
  const sources = new Map()
  for (const { file, hunks } of patch) {
    const path = join(root, file)
    const source = existsSync(path) ? applyHunks(readFileSync(path, 'utf8'), hunks) : undefined
    if (source === undefined) return { sources, failure: describeMisfit(name, file) }
    sources.set(file, source)
  }
  return { sources, failure: undefined }
}

function describeMisfit(name, file) {
  return (
    `${faultFolder}/${name}.patch no longer fits ${file}: its lines are gone, or there more than once. Carry it along: read its first ` +
    'line, bring that fault back in the sources as they are now, replace all below the second line by what git diff shows, and take ' +
    'the fault out again. If the new design cannot have the fault, remove the file.'
  )
}
