import { createHash, createHmac, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { type Clock, momentOf } from '../../../clock.ts'
import { minute } from '../../../duration.ts'
import type { AccountMode } from '../../account-settings.ts'
import type { RateLimitStore } from '../rate-limit/rate-limit-store.ts'
import { judge, Paused, pausedBy, pauseLeft, Refused, Rejected, UnsavedJudgements } from './judgement.ts'
import {
  errorOf,
  isAbout,
  type Rejection,
  type RejectionStore,
  type StoredRejections,
  type StretchedSecrets,
} from './rejection-store.ts'

/** The secrets of an attempt. */
export interface Secrets {
  /** The owner of the secrets: the account's sign-in, or a panel by its serial. It is not a secret itself. */
  subject: string
  secrets: readonly string[]
  /** The secrets of the sign-in to which the owner belongs; undefined for those of the sign-in itself. */
  signIn?: readonly string[]
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
class UsedSecrets {
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

/** Milliseconds after the acceptance of secrets at which it is noted: then a start is over, which needs the processor for all else. */
const acceptedNotedAfter = minute

/** Milliseconds after the start before which nothing is sent whose judgement cannot be saved: a crash loop must send nothing. */
const unsavedAfter = minute

/** Bytes of the hash of secrets, and of their key. */
const keyLength = 32

/**
 * Remembers across restarts which passwords and user codes the service has rejected, and prevents a second
 * attempt.
 *
 * A supervisor that restarts Node-RED every few seconds would otherwise try a wrong password until the
 * account is locked. Rejected secrets are stored only as a salted, stretched hash. A user code is hashed
 * together with the account's password; otherwise the file would be enough to find its few digits by trial.
 * Stretching is slow on purpose, so secrets are stretched only to note them, or to compare them with what was noted
 * about their subject.
 */
export class RejectedCredentials {
  /**
   * The cost of the hash, scrypt's `N`: about 50 ms of processor time for each guess at a code. Tests of
   * other subjects lower it.
   */
  static cost = 16_384

  /** Stretches a digest with a salt. The thread pool does it, and Node lists no such work: a fake clock counts it here. */
  static stretch = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)

  readonly #store: RejectionStore
  readonly #clock: Clock
  readonly #used = new UsedSecrets()
  /**
   * Hashes whose mark as replaced does not count under the current settings: those that this process has marked, because
   * a later node may still use them, and those that it has seen rejected. Otherwise two instances with different secrets
   * would mark each other's again and again.
   */
  readonly #justReplaced = new Set<string>()
  readonly #stretched = new Map<string, Promise<StretchedSecrets>>()
  readonly #unsaved: UnsavedJudgements<Rejected | Refused>
  readonly #startedAt: number
  /** The digests of the secrets that the service has accepted in this process, and not rejected since. */
  readonly #accepted = new Set<string>()
  /** The notes of accepted secrets that are being written. */
  readonly #noting = new Set<Promise<void>>()

  constructor(store: RejectionStore, clock: Clock, rateLimits: Pick<RateLimitStore, 'guardKill'>) {
    this.#store = store
    this.#clock = clock
    this.#unsaved = new UnsavedJudgements(rateLimits)
    this.#startedAt = clock.monotonic()
  }

  /**
   * Makes an attempt with secrets, unless they were rejected before. Attempts with the same secrets run one
   * at a time.
   * A trial removes no rejection: otherwise two wrong passwords, tried in turn, would both be sent again and
   * again.
   * @throws Rejected with the error of the rejection, now or before
   * @throws Paused with the error of a refusal for an unknown reason, now or before
   * @throws the other errors of `make`
   */
  async attemptUnlessRejected<T>(
    secrets: Secrets,
    make: (stretch: () => Promise<StretchedSecrets>) => Promise<T>,
    mode: AccountMode = 'deployed',
  ): Promise<T> {
    const digest = digestOf(secrets.secrets)
    // What others can read must be stretched.
    const name = this.#store.isShared ? (await this.#stretch(digest)).hash : digest
    return this.#store.exclusive(name, () => this.#attempt(secrets, digest, make, mode))
  }

  /** Notes that the current settings have these secrets, even before an attempt with them. */
  use({ subject, secrets }: Secrets): void {
    this.#used.use(digestOf(secrets), subject)
  }

  /**
   * Returns a key for what only those who have the secrets may read. It costs a processor much once per process.
   * @throws KeyholderError if the store cannot be reached
   */
  async keyOf({ secrets }: Secrets): Promise<Buffer> {
    return (await this.#stretch(digestOf(secrets))).key
  }

  /**
   * Notes, inside an attempt, that its secrets are about to be sent and may be wrong: if this process ends before the
   * judgement is saved, nobody sends them at once.
   *
   * Where a disk can be read and not written, secrets that an earlier process has seen accepted are sent all the same, a minute after
   * the start: the judgement then applies in this process.
   * @throws KeyholderError if this cannot be noted, or the judgement could not be saved: do not send them
   */
  async guard(secrets: Secrets): Promise<void> {
    try {
      await Promise.all([this.#store.checkWritable(), this.#unsaved.guard(digestOf(secrets.secrets))])
    } catch (thrown) {
      const isEarly = this.#clock.monotonic() - this.#startedAt < unsavedAfter
      if (isEarly || !(await this.#wasAccepted(secrets))) throw thrown
    }
  }

  /** Resolves when the notes of accepted secrets that have begun are written. Never rejects. */
  async settle(): Promise<void> {
    await Promise.all(this.#noting)
  }

  /** Notes a possible change of settings: unused secrets may be tried again once others have been tried. */
  settingsChanged(): void {
    this.#used.settingsChanged()
    this.#justReplaced.clear()
  }

  async #attempt<T>(
    secrets: Secrets,
    digest: string,
    make: (stretch: () => Promise<StretchedSecrets>) => Promise<T>,
    mode: AccountMode,
  ): Promise<T> {
    const { subject } = secrets
    if (mode === 'deployed') this.#used.use(digest, subject)
    const stored = await this.#store.load()
    const answer = this.#unsaved.answers.get(digest)
    if (answer !== undefined) throw await this.#note(answer, secrets, digest, stored, mode)
    // An earlier judgement that could not be saved: the disk may have room again.
    const isSaved = !this.#unsaved.has(digest) || (await this.#saveJudgement(digest, stored))
    const known = isAbout(stored, subject) ? (await this.#stretch(digest)).hash : undefined
    if (known !== undefined) await this.#refuseNoted(secrets, known, stored, mode)
    try {
      const made = await make(() => this.#stretch(digest))
      if (known !== undefined && stored.refused.delete(known)) await this.#store.save(stored)
      if (!this.#accepted.has(digest)) this.#noteAcceptedLater(secrets, digest)
      await this.#unsaved.end(digest)
      return made
    } catch (thrown) {
      if (thrown instanceof Rejected || thrown instanceof Refused)
        throw await this.#note(thrown, secrets, digest, stored, mode)
      if (isSaved) await this.#unsaved.end(digest)
      throw thrown
    }
  }

  /** Notes that the service has refused secrets, and returns the error for the caller. Never rejects. */
  async #note(
    answer: Rejected | Refused,
    secrets: Secrets,
    digest: string,
    stored: StoredRejections,
    mode: AccountMode,
  ): Promise<Rejected | Paused> {
    // First, because stretching takes long, and may fail.
    await this.#unsaved.noteAnswer(digest, answer)
    const stretched = await this.#stretch(digest).catch(() => undefined)
    // Without the hash, nothing is sent: the next caller tries to note the answer again.
    if (stretched === undefined) return answer instanceof Rejected ? answer : pausedBy(answer)
    const { hash } = stretched
    const outcome = judge(answer, { subject: secrets.subject, hash }, stored, momentOf(this.#clock))
    if (outcome instanceof Rejected) await this.#forgetAccepted(secrets, digest)
    if (mode === 'deployed' && outcome instanceof Rejected) this.#justReplaced.add(hash)
    // It applies in this process, whether it can be saved or not.
    this.#unsaved.answers.delete(digest)
    await this.#saveJudgement(digest, stored)
    return outcome
  }

  /** Saves what is noted of secrets. Only if that succeeds, a later process needs no guard. */
  async #saveJudgement(digest: string, stored: StoredRejections): Promise<boolean> {
    const isSaved = await this.#store.save(stored)
    if (isSaved) await this.#unsaved.end(digest)
    return isSaved
  }

  /** Throws if what is noted forbids an attempt with secrets; else brings up to date what is noted of their subject. */
  async #refuseNoted(
    secrets: Secrets,
    hash: string,
    stored: StoredRejections,
    mode: AccountMode,
  ): Promise<void> {
    const known = stored.rejected.get(hash)
    if (known !== undefined && !this.#isOutdated(known, secrets, hash, mode)) {
      if (mode === 'deployed' && (known.replaced || this.#store.isShared)) {
        known.replaced = false
        known.isUsedHere = true
        await this.#store.save(stored)
      }
      if (mode === 'deployed') this.#justReplaced.add(hash)
      throw new Rejected(errorOf(known))
    }
    const isForgotten = stored.rejected.delete(hash)
    const haveOthersChanged = mode === 'deployed' && (await this.#replaceOthers(secrets.subject, stored))
    if (isForgotten || haveOthersChanged) await this.#store.save(stored)
    const refusals = stored.refused.get(hash)
    const left = refusals === undefined ? 0 : pauseLeft(refusals, momentOf(this.#clock))
    if (refusals !== undefined && left > 0) throw new Paused(errorOf(refusals), left)
  }

  /** Returns true if a rejection no longer applies, so that its secrets may be tried again. */
  #isOutdated(
    { code, replaced }: Rejection,
    { isContradicted }: Secrets,
    hash: string,
    mode: AccountMode,
  ): boolean {
    const isReplaced = replaced && mode === 'deployed' && !this.#justReplaced.has(hash)
    return isReplaced || isContradicted?.(code) === true
  }

  /**
   * Forgets the rejected secrets of a subject that the settings had before, and marks those that this process
   * has not used. Returns true if there were any. Those of a shared store stay rejected while another process has them.
   *
   * A mark counts only under later settings or in a later process: until then, another node may use them.
   */
  async #replaceOthers(subject: string, { rejected }: StoredRejections): Promise<boolean> {
    const digests = await this.#used.byHash(subject, async (digest) => (await this.#stretch(digest)).hash)
    const isInUse = (hash: string) => this.#used.isInUse(digests.get(hash))
    const isAbandoned = (hash: string) => this.#used.isAbandoned(digests.get(hash))
    const others = [...rejected].filter(([hash, one]) => one.subject === subject && !isInUse(hash))
    const unmarked = others.filter(([hash, { replaced }]) => isAbandoned(hash) || !replaced)
    for (const [hash, other] of unmarked) {
      if (isAbandoned(hash) && !this.#store.isShared) rejected.delete(hash)
      this.#justReplaced.add(hash)
      other.replaced = true
      other.isUsedHere = false
    }
    return unmarked.length > 0
  }

  /** Notes, when the start is over, that the service has accepted secrets: stretching them takes long. */
  #noteAcceptedLater(secrets: Secrets, digest: string): void {
    this.#accepted.add(digest)
    if (this.#store.accepted === undefined) return
    this.#clock.after(acceptedNotedAfter, () => {
      const noting = this.#noteAccepted(secrets, digest).finally(() => this.#noting.delete(noting))
      this.#noting.add(noting)
    })
  }

  /** Never rejects. */
  async #noteAccepted(secrets: Secrets, digest: string): Promise<void> {
    const mark = await this.#markOf(secrets)
    // They may have been rejected meanwhile.
    if (mark !== undefined && this.#accepted.has(digest))
      await this.#store.accepted?.add(mark, secrets.subject)
  }

  /** Forgets that secrets were accepted, because they are rejected now. Never rejects. */
  async #forgetAccepted(secrets: Secrets, digest: string): Promise<void> {
    this.#accepted.delete(digest)
    if (!(await this.#store.accepted?.hasOf(secrets.subject))) return
    const mark = await this.#markOf(secrets)
    if (mark !== undefined) await this.#store.accepted?.delete(mark)
  }

  /** Returns true if the service has accepted these very secrets in this process, or an earlier one has noted so. Never rejects. */
  async #wasAccepted(secrets: Secrets): Promise<boolean> {
    if (this.#accepted.has(digestOf(secrets.secrets))) return true
    const mark = await this.#markOf(secrets)
    return mark !== undefined && (await this.#store.accepted?.has(mark, secrets.subject)) === true
  }

  /**
   * Returns the mark of accepted secrets; undefined if it cannot be computed. Its key is that of the sign-in, so that the codes
   * of all panels cost one stretching, and nobody finds a code by trial who does not have the password.
   */
  async #markOf({ secrets, signIn = secrets }: Secrets): Promise<string | undefined> {
    const stretched = await this.#stretch(digestOf(signIn)).catch(() => undefined)
    return stretched && createHmac('sha256', stretched.key).update(digestOf(secrets)).digest('base64')
  }

  /** Stretches the digest of secrets, once per process: a rejected password is looked up at every poll. */
  #stretch(digest: string): Promise<StretchedSecrets> {
    const known = this.#stretched.get(digest)
    if (known !== undefined) return known
    const stretched = this.#store
      .load()
      .then(({ salt }) =>
        RejectedCredentials.stretch(digest, salt, 2 * keyLength, { N: RejectedCredentials.cost }),
      )
      // The parts of scrypt's output do not show each other.
      .then((output) => ({
        hash: output.subarray(0, keyLength).toString('base64'),
        key: output.subarray(keyLength),
      }))
    this.#stretched.set(digest, stretched)
    // The next caller tries again.
    stretched.catch(() => this.#stretched.delete(digest))
    return stretched
  }
}
