import type { Refusals, Rejection, RejectionStore } from './rejection-store.ts'

/** An earlier record about the same secrets: their rejection, and refusals without a known reason. */
export interface FormerJudgement {
  readonly rejection: Rejection | undefined
  readonly refusals: Refusals | undefined
  /** True if the rejection was marked as replaced under the current settings: a later node may still use the secrets. */
  readonly isJustReplaced: boolean
  /** Removes it, after it was saved elsewhere. */
  forget(): Promise<void>
}

/** The secrets of an attempt, and their owner. */
interface Owned {
  readonly subject: string
  readonly secrets: readonly string[]
}

/**
 * The rejections of the time before the user moved into a cluster, or out of it.
 *
 * Their salt is another one, so they can only be found by the secrets, when these are used again.
 */
export class FormerRejections {
  readonly #store: RejectionStore['former']
  readonly #hash: (secrets: readonly string[], salt: string) => Promise<string>
  /** Hashes that the current settings have used. */
  readonly #inUse = new Set<string>()
  readonly #justReplaced = new Set<string>()

  /** @param hash stretches secrets */
  constructor(
    store: RejectionStore['former'],
    hash: (secrets: readonly string[], salt: string) => Promise<string>,
  ) {
    this.#store = store
    this.#hash = hash
  }

  /** Returns what was known of these secrets; undefined if nothing was. */
  async find({ secrets }: Owned): Promise<FormerJudgement | undefined> {
    const found = await this.#load()
    if (found === undefined) return undefined
    const hash = await this.#hash(secrets, found.salt)
    const [rejection, refusals] = [found.rejected.get(hash), found.refused.get(hash)]
    if (rejection === undefined && refusals === undefined) return undefined
    const forget = async () => {
      found.rejected.delete(hash)
      found.refused.delete(hash)
      await this.#store?.save(found)
    }
    return { rejection, refusals, isJustReplaced: this.#justReplaced.has(hash), forget }
  }

  /** Notes that the current settings have these secrets. */
  async use(secrets: readonly string[]): Promise<void> {
    const found = await this.#load()
    if (found !== undefined) this.#inUse.add(await this.#hash(secrets, found.salt))
  }

  /** Notes a possible change of settings. */
  settingsChanged(): void {
    this.#inUse.clear()
    this.#justReplaced.clear()
  }

  /** Marks the rejected secrets of a subject that the settings do not have any more: others were tried. */
  async replaceOthers({ subject }: Owned): Promise<void> {
    const found = await this.#load()
    const others = [...(found?.rejected ?? [])].filter(
      ([hash, one]) => one.subject === subject && !one.replaced && !this.#inUse.has(hash),
    )
    if (found === undefined || others.length === 0) return
    for (const [hash, other] of others) {
      this.#justReplaced.add(hash)
      other.replaced = true
    }
    await this.#store?.save(found)
  }

  /** Returns the content if there is any. */
  async #load() {
    const found = await this.#store?.load()
    return found !== undefined && found.rejected.size + found.refused.size > 0 ? found : undefined
  }
}
