import { readFile } from 'node:fs/promises'
import { replaceFile } from '../../files.ts'
import type { EventType } from '../../service/catalogue/catalogue.ts'
import { type Check, integer, list, parse, parseJson, record, text } from '../../service/schema.ts'

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

/**
 * The service's last catalogue, kept for times when the service does not answer; only texts, none of them
 * private.
 */
export class CatalogueCache {
  readonly #path: string

  /** @param path the file; its folder is created when it is first needed */
  constructor(path: string) {
    this.#path = path
  }

  /** Returns the kept catalogue; undefined if there is no file that can be read. */
  async load(): Promise<EventType[] | undefined> {
    const content = await readFile(this.#path, 'utf8').catch(() => '')
    return parse(rows, parseJson(content))?.value
  }

  /** Keeps the catalogue. If the file cannot be written, the service is asked again after the next start. */
  async save(catalogue: readonly EventType[]): Promise<void> {
    try {
      await replaceFile(this.#path, JSON.stringify(catalogue))
    } catch {
      // No data is lost.
    }
  }
}
