import { createHash } from 'node:crypto'
import type { Account } from '../account/account.ts'
import type { Answer } from '../account/answer.ts'
import type { PanelKey, ReadOptions } from '../account/requests/request.ts'
import { day, hour, minute, second } from '../duration.ts'
import { hasCode, KeyholderError, unreachableCodes, unsupportedCodes } from '../service/error.ts'
import { type Operation, operations } from '../service/operations.ts'
import { noLimits, type PanelLimits } from '../service/responses/feature-set.ts'

/** Operations that only describe the panel, whose state and events are read without them too. */
const describing: ReadonlySet<string> = new Set([
  operations.panels.name,
  operations.panelInfo.name,
  operations.featureSet.name,
])

/** Milliseconds for which a list of panels may refuse a serial: the panel may have been added since. */
const recent = 10 * minute

/** A refused operation, and the time until which polls do not request it again. */
interface Refused {
  error: KeyholderError
  until: number
  times: number
}

/**
 * Sends requests about one panel, and remembers which of them polls need not repeat for a while.
 *
 * One refusal proves little: gateways answer 404 while they restart. So the backoff grows from a minute to an
 * hour; an operation that was answered before counts as failing and not as unsupported, and its backoff does
 * not grow. Requests other than polls are always sent.
 *
 * Descriptions of the panel are different: each failure starts a backoff, of ten minutes at most, and no read
 * waits for them meanwhile.
 */
export class PanelClient {
  /** The service's name for the panel; empty until the panel was identified. */
  alias = ''
  /** The limits of the panel, as far as they are known. */
  limits: PanelLimits = noLimits
  readonly #account: Account
  readonly #panel: PanelKey
  readonly #refused = new Map<string, Refused>()
  readonly #answered = new Set<string>()
  /** The latest answers that describe the panel. */
  readonly #descriptions = new Map<string, Answer<unknown>>()
  /** True if the latest request for anything but a description was answered. */
  #isAnswering = false
  /** The list of panels in which this one was found last. */
  #foundIn: unknown
  /**
   * Milliseconds for which a description of the panel is used: an hour to an hour and a half. All panels request theirs
   * at the start, and would request them again at once.
   */
  readonly descriptionAge: number

  constructor(account: Account, panel: PanelKey) {
    this.#account = account
    this.#panel = panel
    this.descriptionAge = hour * (1 + phaseOf(panel.serial) / 2)
  }

  /** True if the limits of the panel were read, or if the service does not tell them. */
  get areLimitsKnown(): boolean {
    const { name } = operations.featureSet
    return this.#descriptions.has(name) || hasCode(this.#refused.get(name)?.error, ...unsupportedCodes)
  }

  /**
   * Reads the limits of the panel, at most once an hour. A failure stops nothing: the known limits stay, and they
   * are requested again after a pause.
   * @throws KeyholderError CLOSED
   */
  async readLimits(options: ReadOptions): Promise<void> {
    const answer = await this.requestDescription(operations.featureSet, {
      ...options,
      maxAge: this.descriptionAge,
    })
    if (answer === undefined || answer.value === this.limits) return
    this.limits = answer.value
    this.#account.knowledge.noteCodeLengths(this.#panel.serial, answer.value.codeLengths)
  }

  /**
   * Returns the answer to a request about the panel.
   * @throws KeyholderError also the error of an earlier refusal, while polls need not repeat the request
   */
  async request<T>(operation: Operation<T>, options: ReadOptions): Promise<Answer<T>> {
    const { name } = operation
    const refusal = operationRefusal(name, this.limits)
    if (refusal !== undefined) throw refusal
    const before = this.#refused.get(name)
    const pause = (before?.until ?? 0) - this.#account.clock.monotonic()
    const maySkip = describing.has(name) ? before && this.#mayLack(name, before) : options.lane === 'poll'
    if (before !== undefined && pause > 0 && maySkip) {
      const seconds = Math.ceil(pause / second)
      this.#account.log.trace?.(`"${name}": not sent for another ${seconds} s, after ${before.error.code}`)
      throw before.error
    }
    try {
      const answer = await this.#account.sendRead(operation, { ...options, panel: this.#panel })
      this.#answered.add(name)
      this.#refused.delete(name)
      if (!describing.has(name)) this.#isAnswering = true
      return answer
    } catch (thrown) {
      if (thrown instanceof KeyholderError && !options.signal.aborted) this.#note(name, thrown)
      throw thrown
    }
  }

  /**
   * Like `request`, but returns undefined if the service or the user's rights lack the operation and it was never
   * answered.
   */
  async requestIfSupported<T>(operation: Operation<T>, options: ReadOptions): Promise<Answer<T> | undefined> {
    try {
      return await this.request(operation, options)
    } catch (thrown) {
      if (operationRefusal(operation.name, this.limits) !== undefined) return undefined
      if (hasCode(thrown, ...unsupportedCodes) && !this.#answered.has(operation.name)) return undefined
      throw thrown
    }
  }

  /** Returns the latest answer that describes the panel, whatever its age; undefined before the first one. */
  descriptionOf<T>(operation: Operation<T>): T | undefined {
    return this.#descriptions.get(operation.name)?.value as T | undefined
  }

  /**
   * Like `request`, for data that only describes the panel: if the request fails, returns the latest answer
   * whatever its age, or undefined, because state and events must be readable without the data. If the whole
   * service fails, the next request shows it.
   */
  async requestDescription<T>(operation: Operation<T>, options: ReadOptions): Promise<Answer<T> | undefined> {
    const { name } = operation
    // All first polls of the panel wait for it, as they wait for its opening.
    const isFirst = options.lane === 'poll' && !this.#descriptions.has(name) && !this.#refused.has(name)
    try {
      const lane = isFirst ? 'urgent' : options.lane
      const answer = await this.request(operation, { ...options, lane, share: { as: 'description' } })
      this.#descriptions.set(name, answer)
      return answer
    } catch (thrown) {
      if (options.signal.aborted || !(thrown instanceof KeyholderError)) throw thrown
      return this.#descriptions.get(name) as Answer<T> | undefined
    }
  }

  /**
   * Finds the panel in the account's list. The list gives its alias, and shows a wrong serial before the
   * serial is sent with the sign-in. If the service has no such list, the serial is not checked.
   * @throws KeyholderError BAD_SETTING if the list does not contain the serial
   */
  async identify(options: ReadOptions): Promise<void> {
    const { serial } = this.#panel
    const isOurs = ({ panel_serial }: { panel_serial: string }) => panel_serial === serial
    const lacks = (answer: typeof panels) => answer && !answer.value.some(isOurs)
    let panels = await this.requestDescription(operations.panels, { ...options, maxAge: day })
    if (panels !== undefined && panels.value === this.#foundIn) return
    // The panel may have been added to the account since.
    if (lacks(panels))
      panels = await this.requestDescription(operations.panels, { ...options, maxAge: recent })
    if (panels === undefined) return
    this.#account.knowledge.notePanels(panels.value)
    if (panels.value.length === 0) return
    const own = panels.value.find(isOurs)
    if (own === undefined) {
      if (this.#account.clock.monotonic() - panels.at >= recent) return
      const known = panels.value.map(({ panel_serial, alias }) =>
        alias ? `${panel_serial} (${alias})` : panel_serial,
      )
      throw new KeyholderError(
        'BAD_SETTING',
        `Serial number: the account has no panel "${serial}". It has: ${known.slice(0, 10).join(', ')}.`,
        {},
        { text: 'finding.serialUnknown' },
      )
    }
    this.alias = own.alias
    this.#foundIn = panels.value
  }

  /**
   * Returns true if a description that failed may be missing for a while. One that was never had is requested
   * before all else while the service cannot be reached: otherwise the first messages after a start during an
   * outage would have the panel's serial in their topics instead of its name.
   */
  #mayLack(name: string, { error }: Refused): boolean {
    // Messages do without the limits.
    if (name === operations.featureSet.name) return true
    return !hasCode(error, ...unreachableCodes) || this.#answered.has(name) || this.#isAnswering
  }

  /** Starts a backoff of the polls after a refusal that the next poll would only repeat. */
  #note(name: string, error: KeyholderError): void {
    const isLacking =
      error.code === 'NOT_ALLOWED' || (error.code === 'NOT_FOUND' && !this.#answered.has(name))
    const isDescription = describing.has(name)
    if (!isDescription) this.#isAnswering = false
    // Otherwise a session that ends as soon as it is opened would be opened again by every poll.
    const isFutile = error.code === 'SESSION_EXPIRED'
    if (!isLacking && !isDescription && !isFutile) return
    const times = (this.#refused.get(name)?.times ?? 0) + 1
    // An operation that worked before may work again at any time: the panel must not stay silent for long.
    const longest = this.#answered.has(name) ? minute : hour
    const pause = Math.min(isDescription ? recent : longest, minute * 2 ** (times - 1))
    this.#refused.set(name, { error, until: this.#account.clock.monotonic() + pause, times })
  }
}

/** The operations that a panel may lack by its feature set, each with the limit and what it lacks. */
const limited: ReadonlyMap<string, readonly [keyof PanelLimits, string]> = new Map([
  [operations.status.name, ['readsState', 'its state']],
  [operations.alarms.name, ['listsAlarms', 'a list of alarms']],
  [operations.events.name, ['listsEvents', 'a list of events']],
  [operations.devices.name, ['listsDevices', 'a list of devices']],
])

/** Returns the error for an operation that the panel lacks by its feature set; undefined if it has it. */
function operationRefusal(operation: string, limits: PanelLimits): KeyholderError | undefined {
  const [limit, what] = limited.get(operation) ?? []
  if (limit === undefined || limits[limit] !== false) return undefined
  return new KeyholderError(
    'NOT_FOUND',
    `By its feature set, this panel does not offer ${what}, so nothing was sent. You can do without it, or ask your alarm provider.`,
  )
}

/**
 * Returns the phase of a panel from 0 up to 1, always the same for the same text. Texts that differ little, such as the
 * serials of panels from one delivery, have phases that are far apart.
 */
export function phaseOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}
