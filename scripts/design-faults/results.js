import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Ignored by git, like all of its folder. */
const place = 'node_modules/.cache/keyholder-design-faults.json'

/**
 * What was found of a fault in a column of the table.
 * @typedef {{ inputs?: number, first?: number | null, failure?: string, file?: string | null, measured: string }} Result
 */

/** The results that are kept, so that a run can be continued. A fault whose patch has changed begins anew. */
export class Results {
  #path
  /** @type {Record<string, { patch: string, columns: Record<string, Result> }>} */
  #faults

  constructor(path, faults) {
    this.#path = path
    this.#faults = faults
  }

  /** @param {string} root the folder of the project */
  static async read(root) {
    const path = join(root, place)
    return new Results(path, existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : {})
  }

  /** @returns {Result | undefined} */
  of({ name, patch }, column) {
    const kept = this.#faults[name]
    return kept?.patch === digest(patch) ? kept.columns[column] : undefined
  }

  async keep({ name, patch }, column, result) {
    const kept = this.#faults[name]
    const columns = kept?.patch === digest(patch) ? kept.columns : {}
    this.#faults[name] = { patch: digest(patch), columns: { ...columns, [column]: result } }
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(this.#path, JSON.stringify(this.#faults))
  }
}

/** The same as long as a patch changes the same lines, wherever they are. */
function digest(patch) {
  return createHash('sha256').update(JSON.stringify(patch)).digest('base64')
}
