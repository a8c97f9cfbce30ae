import { basename } from 'node:path'
import type { Node, NodeAPI, NodeStatusFill, NodeStatusShape } from 'node-red'
import { type Clock, systemClock } from '../../src/clock.ts'
import { day, minute, second } from '../../src/duration.ts'
import type { HealthStatus } from '../../src/messages/health-status.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition } from '../../src/panel/polling/poller.ts'
import type { Situation, SituationFacts } from '../../src/panel/situation.ts'
import { type KeyholderError, onOneLine, shorten } from '../../src/service/error.ts'
import { errorCodeRows } from '../../src/service/error-codes.ts'
import { guard } from './guard.ts'

/** The color of the dot below a node while its polls are answered. */
type DotColor = 'red' | 'yellow' | 'green'

/**
 * Returns the color of the dot.
 * @param facts about the panel; undefined for a node that does not show a panel, such as one for commands
 * @param isPending true if what the node itself shows needs attention: it is not ready, or something is in its list
 */
export function dotColor(facts: SituationFacts | undefined, isPending = false): DotColor {
  if (facts !== undefined && facts.alarms.length > 0) return 'red'
  return (facts?.delay ?? null) !== null || isPending ? 'yellow' : 'green'
}

/**
 * Returns a status text for a moment of the monotonic clock, and the milliseconds until it changes; undefined
 * if it stays.
 */
export type ChangingText = (now: number) => { text: StatusText; changesIn: number | undefined }

/** The status of a node: the same words and colors on every node. */
export class NodeStatus {
  readonly #RED: NodeAPI
  readonly #node: Node
  /** Undefined for a node that does not show the panel as a whole. */
  #situation: Situation | undefined
  #shown = ''
  /** The status that was asked for last, and the second of a time: the same again needs no words, and is asked for all day. */
  #asked = ''
  /** The topic on which the editor gets the parts of the text. */
  readonly #topic: string
  #stopFollowing: (() => void) | undefined
  #cancelDate: (() => void) | undefined
  #isStopped = false
  /** The key of the phrase before each text; undefined for none. */
  readonly #before: string | undefined
  /** The status that is shown, or would be if another one did not cover it. */
  #latest: readonly [NodeStatusFill, NodeStatusShape, StatusText] | undefined
  #isCovered = false

  /** @param before the phrase before each text */
  constructor(RED: NodeAPI, node: Node, before?: StatusText) {
    this.#RED = RED
    this.#node = node
    this.#before = before?.key
    this.#topic = `keyholder/status/${node.id}`
  }

  /** Shows nothing more, because another status of the node does. Returns a function that shows again what it would show then. */
  cover(): () => void {
    this.#isCovered = true
    return () => {
      this.#isCovered = false
      this.#shown = ''
      this.#asked = ''
      if (this.#latest !== undefined) this.#show(...this.#latest)
    }
  }

  /** Shows an error: a setting, a password or a request is wrong, or the shared state is away. */
  showError(error: ShownError, text = errorText(error)): void {
    const { code } = error
    // What is away comes back by itself.
    const passing = code === 'SHARED_STATE_AWAY' ? 'yellow' : 'red'
    this.#show(code === 'NOT_CONFIGURED' ? 'grey' : passing, 'ring', text)
  }

  /** Shows that a file cannot be written. */
  showUnwritable(): void {
    this.#show('red', 'ring', phrase('account.status.unwritable'))
  }

  /** Shows the overall health of account and panel. */
  showHealth(status: HealthStatus, text: StatusText): void {
    const fill = status === 'ok' ? 'green' : status === 'held' ? 'yellow' : 'red'
    this.#show(fill, status === 'ok' ? 'dot' : 'ring', text)
  }

  /** Shows that nothing is in progress, or the given text. */
  showIdle(text = phrase('account.status.idle')): void {
    this.#show('grey', 'ring', text)
  }

  /** Shows that a request is running, or the given text. */
  showRunning(text = phrase('account.status.running')): void {
    this.#show('blue', 'dot', text)
  }

  /**
   * Shows the condition of a poller.
   * @param operation of the service that the poller reads
   * @param texts shown if the condition is fine or failing, instead of the usual ones
   */
  showCondition(
    panel: Pick<Panel, 'account' | 'online'>,
    condition: PollCondition,
    operation: string,
    { fine = phrase('account.status.fine'), failing, alarm, missing = [], isPending }: ConditionTexts = {},
  ): void {
    const { account } = panel
    const facts = this.#situation?.facts
    const color = dotColor(facts, isPending)
    // An outage must not hide an alarm: whoever breaks in may cut the line.
    const doubt = color === 'red' ? doubtOf(condition, panel.online) : undefined
    if (doubt !== undefined) this.#show(color, 'dot', alarmText(facts, { cause: doubt }))
    else if (color === 'red' && condition.state === 'fine')
      this.#showFine(color, account.clock, alarm ?? fine)
    else if (condition.state === 'fine') {
      if (account.license.uncovered.has(operation))
        this.#show('yellow', 'ring', phrase('account.status.licence'))
      else if (!panel.online) this.#show('yellow', 'ring', phrase('account.status.offline'))
      else if (missing.length > 0)
        this.#show('red', 'ring', phrase('account.status.partition', { detail: missing.join(', ') }))
      else this.#showFine(color, account.clock, fine)
    } else if (condition.state === 'reading') {
      this.#showReading(account)
    } else if (condition.state === 'stale') {
      this.#show('yellow', 'ring', phrase('account.status.stale'))
    } else if (condition.state === 'standby') {
      const { holder: detail, ownFailure, holderFailure } = condition
      const code = ownFailure ?? holderFailure
      const cause = code && errorText({ code }).key
      // With the reason of the other instance, the remedy lies there.
      const parts = { ...(cause && { cause }), ...(detail && { detail }) }
      const text =
        ownFailure === undefined && code !== undefined
          ? phrase('account.status.standbyNoPolls', parts)
          : phrase('account.status.standby', parts)
      if (cause === undefined) this.#show('grey', 'dot', text)
      // Another instance works, but this one could not take over; or nobody works.
      else this.#show('yellow', 'ring', text)
    } else if (account.phase === 'held') {
      const now = account.clock.wall()
      this.#show('yellow', 'ring', pauseText(condition.error, account.heldUntil ?? now, now))
    } else {
      this.showError(condition.error, failing)
    }
  }

  /**
   * Has the dot show the situation of a panel too, and calls `show` when that changes. Returns a function that ends this.
   */
  followSituation(situation: Situation, show: () => void): () => void {
    this.#situation = situation
    const leave = situation.onChange(() => guard(this.#node, show))
    return () => {
      this.#situation = undefined
      leave()
    }
  }

  /** Stops the changes of the text, and forgets it in the editor, when the node is closed. */
  stop(): void {
    this.#isStopped = true
    this.#stopFollowing?.()
    this.#cancelDate?.()
    this.#RED.comms.publish(this.#topic, null, false)
  }

  /** Shows what the first read waits for, and looks again every second until something else is shown. */
  #showReading(account: Panel['account']): void {
    const { phase, rateLimiter, clock } = account
    // A text: a number would be a time.
    const values = { number: String(rateLimiter.limit) }
    if (rateLimiter.isFull) this.#show('yellow', 'ring', phrase('account.status.waiting', { values }))
    else if (phase === 'ready') this.showRunning()
    else this.#show('yellow', 'ring', phrase('account.status.signingIn'))
    if (this.#isStopped) return
    this.#stopFollowing = clock.after(second, () => guard(this.#node, () => this.#showReading(account)))
  }

  /** Shows a text; one that changes is updated until it stays or something else is shown. */
  #showFine(color: DotColor, clock: Clock, shown: StatusText | ChangingText): void {
    const { text, changesIn } =
      typeof shown === 'function' ? shown(clock.monotonic()) : { text: shown, changesIn: undefined }
    this.#show(color, 'dot', text)
    if (changesIn === undefined) return
    const again = () => guard(this.#node, () => this.#showFine(color, clock, shown))
    this.#stopFollowing = clock.after(changesIn, again)
  }

  #show(fill: NodeStatusFill, shape: NodeStatusShape, text: StatusText): void {
    if (this.#isStopped) return
    this.#latest = [fill, shape, text]
    this.#stopFollowing?.()
    this.#cancelDate?.()
    if (this.#isCovered) return
    const now = systemClock.wall()
    // After a day, the date replaces the time of day.
    const untilDate = (text.at ?? 0) + day - now
    if (untilDate > 0) {
      const showDate = () => guard(this.#node, () => this.#show(fill, shape, text))
      this.#cancelDate = systemClock.after(untilDate, showDate)
    }
    const hasTime = 'at' in text || 'next' in text || 'values' in text
    const asked = JSON.stringify([fill, shape, text, hasTime && Math.floor(now / second)])
    if (asked === this.#asked) return
    this.#asked = asked
    const parts = fitted(this.#RED, { ...text, ...(this.#before && { before: this.#before }) }, now)
    const line = written(this.#RED, parts, now)
    const raw = this.#before ? shorten(line, maxStatusLength) : line
    const shown = `${fill} ${shape} ${raw}`
    if (shown === this.#shown) return
    this.#shown = shown
    // Flows and the editor get the text in the language of the server; the editor then replaces it by its own.
    this.#node.status({ fill, shape, text: raw })
    this.#RED.comms.publish(this.#topic, { raw, ...parts }, true)
  }
}

/** The texts of a condition of a poller. */
export interface ConditionTexts {
  fine?: StatusText | ChangingText | undefined
  /** Shown instead of `fine` while an alarm runs, if that would say that all is well. */
  alarm?: StatusText | undefined
  failing?: StatusText | undefined
  /** Chosen partitions that the panel does not have or use, which are told instead of `fine`. */
  missing?: readonly number[]
  /** True if what the node shows needs attention: it is not ready, or something is in its list. */
  isPending?: boolean
}

/** Returns the text for the alarms that run: their places. */
export function alarmText(
  { alarms = [] }: Partial<SituationFacts> = {},
  parts: Omit<StatusText, 'key'> = {},
): StatusText {
  const places = [...new Set(alarms.map(({ name, zone }) => name || (zone > 0 ? String(zone) : '')))]
  return phrase('state.status.ALARM', { ...parts, detail: places.filter(Boolean).join(', ') })
}

/** Returns the key of the reason why what is known may be old; undefined if it is not. */
function doubtOf(condition: PollCondition, isOnline: boolean): string | undefined {
  if (condition.state === 'failing') return errorText(condition.error).key
  if (condition.state === 'stale') return phrase('account.status.stale').key
  return condition.state === 'fine' && !isOnline ? phrase('account.status.offline').key : undefined
}

/**
 * A status text in parts: a phrase, what it is about, and the time. The server writes it in its own language for
 * flows, the editor in the language of its user (resources/status-texts.mjs).
 */
export interface StatusText {
  /** The key of a phrase before all else. */
  before?: string
  /** The key of the phrase, with its node set; without one, the other parts need no words. */
  key?: string
  /** The values in the phrase; a number is a time in milliseconds since 1970. */
  values?: Readonly<Record<string, string | number>>
  /** The key of the phrase of a cause. */
  cause?: string
  /** A phrase at the end with the time of the next try, in milliseconds since 1970. */
  next?: { readonly key?: string; readonly time: number }
  /** Names and other texts that are the same in every language. */
  detail?: string
  /** Milliseconds since 1970. */
  at?: number
}

/** Maximum length of a status text in the language of the server; names are cut to keep it. */
export const maxStatusLength = 40

/** The fewest characters of a name that tell something. */
const minDetailLength = 8

/** Maximum length of a word of the service within a phrase. */
const maxValueLength = 16

/** Returns a text with a phrase of the catalogue; `key` begins with the name of its node set. */
export function phrase(key: string, parts: Omit<StatusText, 'key'> = {}): StatusText {
  return { key: `@keyholder/node-red-alarm-panel/keyholder:${key}`, ...parts }
}

/**
 * Returns the status text without control characters, its detail cut to the room that the other parts leave; without the
 * detail, if that is too little to tell something.
 */
export function fitted(RED: NodeAPI, { detail, ...text }: StatusText, now: number): StatusText {
  const short = Object.entries(text.values ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? shorten(onOneLine(value), maxValueLength) : value,
  ])
  const others: StatusText = { ...text, ...(text.values && { values: Object.fromEntries(short) }) }
  if (!detail) return others
  const room = maxStatusLength - written(RED, { ...others, detail: '-' }, now).length + 1
  const line = onOneLine(detail)
  return room < Math.min(minDetailLength, line.length) ? others : { ...others, detail: shorten(line, room) }
}

/** Returns the status text in the language of the server. */
export function written(
  RED: NodeAPI,
  { before, key, values = {}, cause, next, detail, at }: StatusText,
  now: number,
): string {
  const { _: translate } = RED
  const filled = Object.entries(values).map(([name, value]) => [name, shownValue(value, now)])
  const word = key && translate(key, Object.fromEntries(filled))
  const said = [before && translate(before), word, cause && translate(cause), detail]
    .filter(Boolean)
    .join(': ')
  const again = next?.key && translate(next.key, { time: shownTime(next.time, now) })
  return [said, again, at === undefined ? '' : shownTime(at, now)].filter(Boolean).join(', ')
}

function shownValue(value: string | number, now: number): string {
  return typeof value === 'number' ? shownTime(value, now) : value
}

/** Returns the local time of day, and the date instead if that is a day or more away. */
function shownTime(at: number, now: number): string {
  const time = new Date(at)
  if (Math.abs(at - now) < day) return time.toTimeString().slice(0, 5)
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

/** An error, or what is left of it where only its code is kept. */
type ShownError = Pick<KeyholderError, 'code'> & Partial<Pick<KeyholderError, 'detail'>>

/** The words for an empty setting; another one has no word of its own. */
const missing: Readonly<Record<string, StatusText>> = {
  email: phrase('account.cause.email'),
  password: phrase('account.cause.password'),
  url: phrase('account.cause.url'),
  serial: phrase('account.cause.serial'),
  userCode: phrase('account.cause.userCode'),
}

/** The words for a secret that was stored for another address. */
const again: Readonly<Record<string, StatusText>> = {
  password: phrase('account.cause.passwordAgain'),
  'cluster.password': phrase('account.cause.passwordAgain'),
  userCode: phrase('account.cause.userCodeAgain'),
}

/** Returns the text for an error: its cause if that is known, else the word for its code. */
export function errorText(
  { code, detail = {} }: ShownError,
  parts: Omit<StatusText, 'key'> = {},
): StatusText {
  return { ...(causeOf(detail) ?? phrase(`account.status.error.${code}`)), ...parts }
}

/**
 * Returns the text for a pause of all requests.
 * @param error that has caused it; undefined if it is not known
 * @param until milliseconds since 1970
 */
export function pauseText(error: ShownError | undefined, until: number, now: number): StatusText {
  // The time of a shorter pause has passed when somebody reads it.
  const isShort = until - now < minute
  // A pause that the service itself asks for.
  if (error === undefined || (errorCodeRows[error.code].health === 'held' && !isShort))
    return phrase('account.status.held', { values: { time: until } })
  // The name of the file tells more than the end of this pause.
  if (isShort || error.detail?.text === 'finding.unusableFile') return errorText(error)
  return errorText(error, { next: { ...phrase('account.status.again'), time: until } })
}

function causeOf(detail: NonNullable<ShownError['detail']>): StatusText | undefined {
  const { text, fields: [field = ''] = [], isPage } = detail
  if (isPage) return phrase('account.cause.webPage')
  if (text === 'finding.noService') return phrase('account.cause.noService')
  if (text === 'finding.serialUnknown') return phrase('account.cause.panelUnknown')
  if (field === 'userCode' && text === 'finding.tooShort') return phrase('account.cause.codeTooShort')
  if (field === 'userCode' && text === 'finding.tooLong') return phrase('account.cause.codeTooLong')
  if (text === 'finding.storedElsewhere') return again[field]
  if (text === 'finding.unusableFile') return fileText(detail)
  return text === 'finding.missing' && Object.hasOwn(missing, field) ? missing[field] : undefined
}

/** Returns the text for a file without which passwords are not sent. */
function fileText({ values = {}, isUnreadable }: NonNullable<ShownError['detail']>): StatusText {
  const detail = basename(String(values.path))
  return isUnreadable
    ? phrase('account.status.unreadable', { detail })
    : phrase('account.status.unwritable', { detail })
}
