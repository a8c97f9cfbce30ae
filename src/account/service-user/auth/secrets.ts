import { createHash } from 'node:crypto'

/** The secrets of an attempt. */
export interface Secrets {
  /** The owner of the secrets: the account's sign-in, or a panel by its serial. It is not a secret itself. */
  subject: string
  secrets: readonly string[]
  /**
   * Returns true if other answers of the service contradict a rejection with this code. Such a rejection is
   * forgotten.
   */
  isContradicted?(code: string): boolean
}

/** Returns the name of secrets in memory. Never store it: it costs nearly nothing for each guess. */
export function digestOf(secrets: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
}

/**
 * The digests of the secrets that the current settings have used, and of those that earlier settings in this process
 * used, each with its subject.
 */
export class UsedSecrets {
  readonly #inUse = new Map<string, string>()
  readonly #abandoned = new Map<string, string>()

  /** Notes that the current settings have secrets. */
  use(digest: string, subject: string): void {
    this.#inUse.set(digest, subject)
    this.#abandoned.delete(digest)
  }

  /** Notes a possible change of settings. */
  settingsChanged(): void {
    for (const [digest, subject] of this.#inUse) this.#abandoned.set(digest, subject)
    this.#inUse.clear()
  }

  isInUse(digest = ''): boolean {
    return this.#inUse.has(digest)
  }

  isAbandoned(digest = ''): boolean {
    return this.#abandoned.has(digest)
  }

  /** Returns all digests of a subject by their hashes. */
  async byHash(subject: string, hash: (digest: string) => Promise<string>): Promise<Map<string, string>> {
    const digests = [...this.#inUse, ...this.#abandoned].filter(([, owner]) => owner === subject)
    return new Map(await Promise.all(digests.map(async ([digest]) => [await hash(digest), digest] as const)))
  }
}
