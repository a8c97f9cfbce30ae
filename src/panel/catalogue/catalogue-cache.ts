import { readFile } from 'node:fs/promises'
import { replaceFile } from '../replace-file.ts'
import type { EventType } from '../service/catalogue.ts'
import { type Check, integer, list, parse, record, text } from '../service/check.ts'
import { jsonOf } from '../service/verdict.ts'

const rows: Check<EventType[]> = list(
  record({
    typeId: integer,
    group: text,
    vis: text,
    contactId: text,
    sia: text,
    label: text,
    description: text,
    descriptionOriginal: text,
  }),
)

/** The catalogue as the service last gave it, kept for times when it does not answer; only texts, and none private. */
export class CatalogueFile {
  readonly #path: string

  /** @param path the file; its folder is made when first needed */
  constructor(path: string) {
    this.#path = path
  }

  /** What was kept; nothing where there is no file, or none that can be read. */
  async load(): Promise<EventType[] | undefined> {
    const content = await readFile(this.#path, 'utf8').catch(() => '')
    return parse(rows, jsonOf(content))?.value
  }

  /** Keeps the catalogue; where it cannot be written, the service is asked again after the next start. */
  async save(catalogue: readonly EventType[]): Promise<void> {
    try {
      await replaceFile(this.#path, JSON.stringify(catalogue))
    } catch {
      // Nothing is lost by it.
    }
  }
}
