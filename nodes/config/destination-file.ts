import { Documents, quarantine } from '../../src/documents.ts'
import {
  type Check,
  dictionary,
  invalid,
  parse,
  parseJson,
  record,
  withDefault,
} from '../../src/service/schema.ts'

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
  readonly #documents = new Documents((_path, doing, thrown) =>
    doing === 'read' ? (thrown as Error) : undefined,
  )

  constructor(path: string) {
    this.#path = path
  }

  /** Returns what is known about the secret of a config node, by its ID. Never rejects. */
  of(id: string): Promise<KnownDestination | undefined> {
    return this.#documents.run(this.#path, async () => (await this.#load()).get(id))
  }

  /** Notes where the secret of a config node may be sent. Never rejects. */
  note(id: string, { destination, entry }: KnownDestination): Promise<void> {
    return this.#documents.run(this.#path, async () => {
      const known = await this.#load()
      const before = known.get(id)
      if (before?.destination === destination && before.entry === entry) return
      known.set(id, { destination, entry })
      await this.#save()
    })
  }

  /** Forgets a config node that was deleted, as Node-RED forgets its credentials. Never rejects. */
  forget(id: string): Promise<void> {
    return this.#documents.run(this.#path, async () => {
      if ((await this.#load()).delete(id)) await this.#save()
    })
  }

  async #save(): Promise<void> {
    // What could not be read stays as it is on the disk.
    if (this.#known === undefined) return
    const content = JSON.stringify(Object.fromEntries(this.#known), undefined, 2)
    await this.#documents.replace(this.#path, `${content}\n`)
  }

  async #load(): Promise<Map<string, KnownDestination>> {
    if (this.#known !== undefined) return this.#known
    const content = await this.#documents.read(this.#path).catch(() => null)
    if (content === null) return this.#unread
    const noted = content === undefined ? undefined : parse(rows, parseJson(content))
    const isDamaged = content !== undefined && noted?.dropped !== 0
    if (isDamaged) await quarantine(this.#path)
    this.#known = isDamaged ? this.#unread : (noted?.value ?? this.#unread)
    return this.#known
  }
}

/** A number is no destination. */
const string: Check<string> = (value) => (typeof value === 'string' ? value : invalid)

const rows = dictionary(record({ destination: string, entry: withDefault(string, undefined) }))
