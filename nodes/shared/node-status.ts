import type { Node, NodeAPI, NodeStatusFill, NodeStatusShape } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import type { Clock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import type { HealthStatus } from '../../src/messages/health-status.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Condition } from '../../src/panel/polling/poller.ts'
import { secondsUntil } from '../../src/panel/state/exit-delay.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { guard } from './guard.ts'

const words = '@keyholder/node-red-alarm-panel/account:account.status'

/** Maximum length of a status text; the rest is cut off. */
const maxTextLength = 20

/** A status text with a countdown of seconds. */
export interface Countdown {
  /** Milliseconds of the monotonic clock at which the countdown ends. */
  until: number
  text(seconds: number): string
}

/** The status of a node: the same words and colors on every node. */
export class NodeStatus {
  readonly #RED: NodeAPI
  readonly #node: Node
  #shown = ''
  #stopCounting = () => {}

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED
    this.#node = node
  }

  /** Shows an error: a setting, a password or a request is wrong. */
  showError({ code }: Pick<KeyholderError, 'code'>): void {
    const isMissing = code === 'NOT_CONFIGURED'
    this.#show(isMissing ? 'grey' : 'red', 'ring', this.#word(`error.${code}`))
  }

  /** Shows that a file cannot be written. */
  showUnwritable(): void {
    this.#show('red', 'ring', this.#word('unwritable'))
  }

  /** Shows the overall health of account and panel. */
  showHealth(status: HealthStatus, text: string): void {
    const fill = status === 'ok' ? 'green' : status === 'held' ? 'yellow' : 'red'
    this.#show(fill, status === 'ok' ? 'dot' : 'ring', text)
  }

  /** Shows that no request was sent yet. */
  showIdle(): void {
    this.#show('grey', 'ring', this.#word('idle'))
  }

  /** Shows that a request is running, or the given text. */
  showRunning(text = this.#word('running')): void {
    this.#show('blue', 'dot', text)
  }

  /**
   * Shows the condition of a poller.
   * @param operation of the service that the poller reads
   * @param text shown if the condition is fine
   */
  showCondition(
    panel: Panel,
    condition: Condition,
    operation: string,
    text: string | Countdown = this.#word('fine'),
  ): void {
    const { account } = panel
    if (condition.state === 'fine') {
      if (account.licenseNotice(operation) !== undefined) this.#show('yellow', 'ring', this.#word('licence'))
      else if (panel.online) this.#fine(account.clock, text)
      else this.#show('yellow', 'ring', this.#word('offline'))
    } else if (condition.state === 'reading') {
      if (account.phase === 'ready') this.showRunning()
      else this.#show('yellow', 'ring', this.#word('signingIn'))
    } else if (condition.state === 'stale') {
      this.#show('yellow', 'ring', this.#word('stale'))
    } else if (account.phase === 'held') {
      this.#show('yellow', 'ring', this.#word('held', { time: holdEnd(account) }))
    } else {
      this.showError(condition.error)
    }
  }

  /** Stops the countdown when the node is closed. */
  stop(): void {
    this.#stopCounting()
  }

  #fine(clock: Clock, text: string | Countdown): void {
    if (typeof text === 'string') this.#show('green', 'dot', text)
    else this.#count(clock, text)
  }

  /**
   * Shows the remaining seconds and updates them every second until they reach 0 or something else is shown.
   */
  #count(clock: Clock, countdown: Countdown): void {
    const { until, text } = countdown
    const now = clock.monotonic()
    const left = secondsUntil(until, now)
    this.#show('green', 'dot', text(left))
    if (left === 0) return
    const next = until - second * (left - 1) - now
    this.#stopCounting = clock.after(next, () => guard(this.#node, () => this.#count(clock, countdown)))
  }

  #word(key: string, values: Record<string, string> = {}): string {
    return this.#RED._(`${words}.${key}`, values)
  }

  #show(fill: NodeStatusFill, shape: NodeStatusShape, text: string): void {
    this.#stopCounting()
    const shown = `${fill} ${shape} ${text}`
    if (shown === this.#shown) return
    this.#shown = shown
    this.#node.status({ fill, shape, text: text.slice(0, maxTextLength) })
  }
}

/** Returns the local time of day at which the backoff of the account ends. */
function holdEnd({ clock, heldUntil = clock.wall() }: Account): string {
  return new Date(heldUntil).toTimeString().slice(0, 5)
}
