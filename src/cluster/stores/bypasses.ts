import type { ObsoleteRecords } from '../../panel/commands/bypass/obsolete-records.ts'
import { integer, list, parse, record } from '../../service/schema.ts'
import { remove } from '../lua/bypasses.lua.ts'
import { type PanelParts, script } from '../redis/scripts.ts'
import { openJson, panelKey } from '../redis/seal.ts'

const removal = script(remove)

const recorded = record({ zones: list(integer) })

/** The record of version 0.2.0 in Redis about the bypasses of a panel. */
export class ObsoleteBypasses implements ObsoleteRecords {
  readonly #options: PanelParts

  constructor(options: PanelParts) {
    this.#options = options
  }

  async remove(): Promise<readonly number[] | undefined> {
    const { scripts, serial, panel } = this.#options
    const key = panelKey(serial, panel, 'bypasses')
    const place = `panel:${panel}:bypasses`
    const [found] = await scripts.runBinary(removal, [place])
    const fields = found as readonly Buffer[]
    if (fields.length === 0) return undefined
    const records = fields.filter((_, index) => index % 2 === 1)
    return records.flatMap((stored) => {
      const opened = openJson(key, place, stored.subarray(stored.indexOf(' ') + 1))
      return parse(recorded, opened)?.value.zones ?? []
    })
  }
}
