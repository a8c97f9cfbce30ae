import type { Node, NodeAPI, NodeStatusFill, NodeStatusShape } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import type { Clock } from '../../src/clock.ts'
import type { HealthStatus } from '../../src/messages/health-status.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Condition } from '../../src/panel/polling/poller.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { guard } from './guard.ts'

const words = '@keyholder/node-red-alarm-panel/account:account.status'

/** Maximum length of a status text; the rest is cut off. */
const maxTextLength = 20

/**
 * Returns a status text for a moment of the monotonic clock, and the milliseconds until it changes; undefined
 * if it stays.
 */
export type ChangingText = (now: number) => { text: string; changesIn: number | undefined }

/** The status of a node: the same words and colors on every node. */
export class NodeStatus {
  readonly #RED: NodeAPI
  readonly #node: Node
  #shown = ''
  #stopFollowing = () => {}

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
    panel: Pick<Panel, 'account' | 'online'>,
    condition: Condition,
    operation: string,
    text: string | ChangingText = this.#word('fine'),
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

  /** Stops the changes of the text when the node is closed. */
  stop(): void {
    this.#stopFollowing()
  }

  #fine(clock: Clock, text: string | ChangingText): void {
    if (typeof text === 'string') this.#show('green', 'dot', text)
    else this.#follow(clock, text)
  }

  /** Shows a text and updates it whenever it changes, until it stays or something else is shown. */
  #follow(clock: Clock, textAt: ChangingText): void {
    const { text, changesIn } = textAt(clock.monotonic())
    this.#show('green', 'dot', text)
    if (changesIn === undefined) return
    this.#stopFollowing = clock.after(changesIn, () => guard(this.#node, () => this.#follow(clock, textAt)))
  }

  #word(key: string, values: Record<string, string> = {}): string {
    return this.#RED._(`${words}.${key}`, values)
  }

  #show(fill: NodeStatusFill, shape: NodeStatusShape, text: string): void {
    this.#stopFollowing()
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
