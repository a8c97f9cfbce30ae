import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { UserError } from '../command.js'

/**
 * Reads the list of the mutants that nobody could notice, each with the reason. An entry names a mutant by its file, by
 * a part of the emitted module that contains it (`within`), and by the text that it replaces, so it outlives changes
 * elsewhere in the file.
 * @param {string} path of the list; a project may have none
 * @returns {Promise<{ file: string, within: string, original: string, replacement: string, reason: string }[]>}
 */
export async function readEquivalentMutants(path) {
  if (!existsSync(path)) return []
  return JSON.parse(await readFile(path, 'utf8'))
}

/**
 * Adds its reason to each mutant that is on the list.
 * @param {object[]} mutants all of their files
 * @param {object[]} entries
 * @returns {{ mutants: object[], stale: object[] }} `stale` are the entries of these files that name no mutant any more
 * @throws {UserError} if an entry names several mutants
 */
export function markEquivalentMutants(mutants, entries) {
  const reasons = new Map()
  const stale = []
  for (const entry of entries) {
    const inFile = mutants.filter(({ file }) => file === entry.file)
    if (inFile.length === 0) continue
    const named = inFile.filter((mutant) => isNamed(mutant, entry))
    if (named.length > 1) {
      const { file, within, original } = entry
      throw new UserError(
        `Equivalent mutant ${original} in ${file}: "${within}" contains it ${named.length} times.`,
      )
    }
    if (named.length === 0) stale.push(entry)
    else reasons.set(named[0], entry.reason)
  }
  return { mutants: mutants.map((mutant) => ({ ...mutant, equivalent: reasons.get(mutant) })), stale }
}

function isNamed({ source, start, end, original, replacement }, entry) {
  if (original !== entry.original || replacement !== entry.replacement) return false
  for (let at = source.indexOf(entry.within); at !== -1; at = source.indexOf(entry.within, at + 1))
    if (at <= start && end <= at + entry.within.length) return true
  return false
}
