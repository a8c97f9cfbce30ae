import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultFolder } from './faults.js'

/**
 * The result of a fault in a column of the table.
 * @typedef {{ inputs?: number, first?: number | null, failure?: string, file?: string | null, isReached?: false, kind?: string, says?: string,
 *   changed?: number, measured: string }} Result `isReached` is false where the world runs nothing that the fault changes; `kind` and
 *   `says` are of the life that notices it, and `changed` counts lives that it changes and that tell nothing untrue
 */

/**
 * The results, which are kept beside the patches: the table is made from them, and a run that was ended goes on. A fault whose patch
 * changes other lines than before begins anew.
 */
export class Results {
  #path
  /** @type {Record<string, { patch: string, columns: Record<string, Result> }>} */
  #faults

  /** @param {string} root the folder of the project */
  constructor(root) {
    this.#path = join(root, faultFolder, 'results.json')
    this.#faults = this.#read()
  }

  #read() {
    return existsSync(this.#path) ? JSON.parse(readFileSync(this.#path, 'utf8')) : {}
  }

  /** @returns {Result | undefined} */
  of({ name, patch }, column) {
    const kept = this.#faults[name]
    return kept?.patch === digest(patch) ? kept.columns[column] : undefined
  }

  keep({ name, patch }, column, result) {
    // Other runs keep theirs in the same file.
    this.#faults = this.#read()
    const kept = this.#faults[name]
    const columns = kept?.patch === digest(patch) ? kept.columns : {}
    this.#faults[name] = { patch: digest(patch), columns: { ...columns, [column]: result } }
    // One line for each fault, so that a difference can be read.
    const lines = Object.entries(this.#faults)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map((entry) => entry.map((value) => JSON.stringify(value)).join(': '))
    writeFileSync(this.#path, `{\n${lines.join(',\n')}\n}\n`)
  }
}

/** The same as long as a patch changes the same lines, wherever they are. */
function digest(patch) {
  return createHash('sha256').update(JSON.stringify(patch)).digest('hex').slice(0, 12)
}
