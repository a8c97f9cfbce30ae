import type { Node, NodeAPI, NodeStatusFill, NodeStatusShape } from 'node-red'
import { type Clock, systemClock } from '../../src/clock.ts'
import { day } from '../../src/duration.ts'
import type { HealthStatus } from '../../src/messages/health-status.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition } from '../../src/panel/polling/poller.ts'
import type { Situation, SituationFacts } from '../../src/panel/situation.ts'
import { guard } from './guard.ts'
import {
  errorText,
  fitted,
  pauseText,
  phrase,
  type ShownError,
  type StatusText,
  written,
} from './status-text.ts'

/** The color of the dot below a node while its polls are answered. */
export type DotColor = 'red' | 'yellow' | 'green'

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
  /** The topic on which the editor gets the parts of the text. */
  readonly #topic: string
  #stopFollowing: (() => void) | undefined
  #cancelDate: (() => void) | undefined
  #isStopped = false

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED
    this.#node = node
    this.#topic = `keyholder/status/${node.id}`
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
    { fine = phrase('account.status.fine'), failing, alarm, isPending }: ConditionTexts = {},
  ): void {
    const { account } = panel
    const facts = this.#situation?.facts
    const color = dotColor(facts, isPending)
    const doubt = doubtOf(condition, panel.online)
    // An outage must not hide an alarm: whoever breaks in may cut the line.
    if (color === 'red' && doubt !== undefined) this.#show(color, 'dot', alarmText(facts, { cause: doubt }))
    else if (color === 'red' && condition.state === 'fine')
      this.#showFine(color, account.clock, alarm ?? fine)
    else if (condition.state === 'fine') {
      if (account.license.noticeOf(operation) !== undefined)
        this.#show('yellow', 'ring', phrase('account.status.licence'))
      else if (!panel.online) this.#show('yellow', 'ring', phrase('account.status.offline'))
      else this.#showFine(color, account.clock, fine)
    } else if (condition.state === 'reading') {
      if (account.phase === 'ready') this.showRunning()
      else this.#show('yellow', 'ring', phrase('account.status.signingIn'))
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

  #showFine(color: DotColor, clock: Clock, text: StatusText | ChangingText): void {
    if (typeof text === 'function') this.#follow(color, clock, text)
    else this.#show(color, 'dot', text)
  }

  /** Shows a text and updates it whenever it changes, until it stays or something else is shown. */
  #follow(color: DotColor, clock: Clock, textAt: ChangingText): void {
    const { text, changesIn } = textAt(clock.monotonic())
    this.#show(color, 'dot', text)
    if (changesIn === undefined) return
    const again = () => guard(this.#node, () => this.#follow(color, clock, textAt))
    this.#stopFollowing = clock.after(changesIn, again)
  }

  #show(fill: NodeStatusFill, shape: NodeStatusShape, text: StatusText): void {
    if (this.#isStopped) return
    this.#stopFollowing?.()
    this.#cancelDate?.()
    const now = systemClock.wall()
    // After a day, the date replaces the time of day.
    const untilDate = (text.at ?? 0) + day - now
    if (untilDate > 0) {
      const showDate = () => guard(this.#node, () => this.#show(fill, shape, text))
      this.#cancelDate = systemClock.after(untilDate, showDate)
    }
    const write = (one: StatusText) => written(this.#RED, one, now)
    const parts = fitted(text, write)
    const raw = write(parts)
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
