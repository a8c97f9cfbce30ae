import { isAbout, type Refusals, type Rejection, type RejectionStore } from './rejection-store.ts'
import type { UsedSecrets } from './used-secrets.ts'

/** An earlier record about the same secrets: their rejection, and refusals without a known reason. */
export interface FormerJudgement {
  readonly rejection: Rejection | undefined
  readonly refusals: Refusals | undefined
  /** True if the rejection was marked as replaced under the current settings: a later node may still use the secrets. */
  readonly isJustReplaced: boolean
  /** Removes it, after it was saved elsewhere. */
  forget(): Promise<void>
}

/**
 * The rejections of the time before the user moved into a cluster, or out of it.
 *
 * Their salt is another one, so they can only be found by the secrets, when these are used again.
 */
export class FormerRejections {
  readonly #store: RejectionStore['former']
  readonly #used: UsedSecrets
  readonly #hash: (digest: string, salt: string) => Promise<string>
  readonly #justReplaced = new Set<string>()

  /** @param hash stretches the digest of secrets */
  constructor(
    store: RejectionStore['former'],
    used: UsedSecrets,
    hash: (digest: string, salt: string) => Promise<string>,
  ) {
    this.#store = store
    this.#used = used
    this.#hash = hash
  }

  /** Returns true if something was known that may be about secrets of a subject. */
  async isAbout(subject: string): Promise<boolean> {
    return (await this.#load(subject)) !== undefined
  }

  /** Returns what was known of the secrets of a subject, by their digest; undefined if nothing was. */
  async find(subject: string, digest: string): Promise<FormerJudgement | undefined> {
    const found = await this.#load(subject)
    if (found === undefined) return undefined
    const hash = await this.#hash(digest, found.salt)
    const [rejection, refusals] = [found.rejected.get(hash), found.refused.get(hash)]
    if (rejection === undefined && refusals === undefined) return undefined
    const forget = async () => {
      found.rejected.delete(hash)
      found.refused.delete(hash)
      await this.#store?.save(found)
    }
    return { rejection, refusals, isJustReplaced: this.#justReplaced.has(hash), forget }
  }

  /** Notes a possible change of settings. */
  settingsChanged(): void {
    this.#justReplaced.clear()
  }

  /** Marks the rejected secrets of a subject that the settings do not have any more: others were tried. */
  async replaceOthers(subject: string): Promise<void> {
    const found = await this.#load(subject)
    if (found === undefined) return
    const digests = await this.#used.byHash(subject, (digest) => this.#hash(digest, found.salt))
    const others = [...found.rejected].filter(
      ([hash, one]) => one.subject === subject && !one.replaced && !this.#used.isInUse(digests.get(hash)),
    )
    if (others.length === 0) return
    for (const [hash, other] of others) {
      this.#justReplaced.add(hash)
      other.replaced = true
    }
    await this.#store?.save(found)
  }

  /** Returns the content if some of it may be about a subject. */
  async #load(subject: string) {
    const found = await this.#store?.load()
    return found !== undefined && isAbout(found, subject) ? found : undefined
  }
}
