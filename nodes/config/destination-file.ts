import { readFile } from 'node:fs/promises'
import { KeyedMutex } from '../../src/concurrency.ts'
import { isMissing, quarantine, replaceFile } from '../../src/documents.ts'

/** Where the secret of a config node may be sent. */
export interface KnownDestination {
  /** The origin of a service, the servers of a cluster, or the ID of an account. */
  destination: string
  /** The name of the entry in a dialog that was the latest one then; undefined if no dialog has entered the secret. */
  entry?: string | undefined
}

/**
 * The file `stored-for.json` of this package: for each config node with a secret where that secret was stored for. It holds no
 * secret.
 *
 * Without it a node counts as one that has just been set up. So a lost file stops nothing, and a file that cannot be
 * read or written stops nothing either: within this process, what it should hold stays in memory.
 */
export class DestinationFile {
  readonly #path: string
  #known: Map<string, KnownDestination> | undefined
  /** The notes that were made while the file could not be read. */
  readonly #unread = new Map<string, KnownDestination>()
  readonly #mutex = new KeyedMutex()

  constructor(path: string) {
    this.#path = path
  }

  /** Returns what is known about the secret of a config node, by its ID. Never rejects. */
  of(id: string): Promise<KnownDestination | undefined> {
    return this.#mutex.run(this.#path, async () => (await this.#load()).get(id))
  }

  /** Notes where the secret of a config node may be sent. Never rejects. */
  note(id: string, { destination, entry }: KnownDestination): Promise<void> {
    return this.#mutex.run(this.#path, async () => {
      const known = await this.#load()
      const before = known.get(id)
      if (before?.destination === destination && before.entry === entry) return
      known.set(id, { destination, entry })
      await this.#save()
    })
  }

  /** Forgets a config node that was deleted, as Node-RED forgets its credentials. Never rejects. */
  forget(id: string): Promise<void> {
    return this.#mutex.run(this.#path, async () => {
      if ((await this.#load()).delete(id)) await this.#save()
    })
  }

  async #save(): Promise<void> {
    // What could not be read stays as it is on the disk.
    if (this.#known === undefined) return
    const content = JSON.stringify(Object.fromEntries(this.#known), undefined, 2)
    await replaceFile(this.#path, `${content}\n`).catch(() => {})
  }

  async #load(): Promise<Map<string, KnownDestination>> {
    if (this.#known !== undefined) return this.#known
    try {
      this.#known = parse(await readFile(this.#path, 'utf8'))
    } catch (thrown) {
      if (thrown instanceof SyntaxError) await quarantine(this.#path)
      else if (!isMissing(thrown)) return this.#unread
      this.#known = this.#unread
    }
    return this.#known
  }
}

/** @throws SyntaxError if the content is not that of such a file */
function parse(content: string): Map<string, KnownDestination> {
  const rows: unknown = JSON.parse(content)
  if (typeof rows !== 'object' || rows === null || Array.isArray(rows)) throw new SyntaxError()
  const known = new Map<string, KnownDestination>()
  for (const [id, row] of Object.entries(rows)) {
    const { destination, entry } = { ...row }
    if (typeof destination !== 'string') throw new SyntaxError()
    known.set(id, { destination, entry: typeof entry === 'string' ? entry : undefined })
  }
  return known
}
