import type { Node, NodeAPI, NodeStatusFill, NodeStatusShape } from 'node-red'
import type { Account } from '../../src/account/account.ts'
import type { Clock } from '../../src/clock.ts'
import type { HealthStatus } from '../../src/messages/health-status.ts'
import { secondsUntil } from '../../src/panel/exit-delays.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Condition } from '../../src/panel/watch.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { guard } from './guard.ts'

const words = '@keyholder/node-red-alarm-panel/account:account.status'

/** The editor cuts off what is longer. */
const longest = 20

const second = 1000

/** A text that counts seconds down. */
export interface Countdown {
  /** Milliseconds of the monotonic clock. */
  until: number
  text(seconds: number): string
}

/** The light below a node: one verb for each situation, the same words and colours on every node. */
export class StatusLight {
  readonly #RED: NodeAPI
  readonly #node: Node
  #shown = ''
  #stopCounting = () => {}

  constructor(RED: NodeAPI, node: Node) {
    this.#RED = RED
    this.#node = node
  }

  /** A setting, a password or a call is wrong. */
  failing({ code }: Pick<KeyholderError, 'code'>): void {
    const isMissing = code === 'NOT_CONFIGURED'
    this.#show(isMissing ? 'grey' : 'red', 'ring', this.#word(`error.${code}`))
  }

  /** How account and panel are as a whole. */
  health(status: HealthStatus, text: string): void {
    const fill = status === 'ok' ? 'green' : status === 'held' ? 'yellow' : 'red'
    this.#show(fill, status === 'ok' ? 'dot' : 'ring', text)
  }

  /** Nothing was asked yet. */
  idle(): void {
    this.#show('grey', 'ring', this.#word('idle'))
  }

  /** Somebody waits for an answer, or for what `text` says. */
  running(text = this.#word('running')): void {
    this.#show('blue', 'dot', text)
  }

  /**
   * Shows where a watch stands.
   * @param operation what it asks the service
   * @param text what to say while all is well
   */
  condition(
    panel: Panel,
    condition: Condition,
    operation: string,
    text: string | Countdown = this.#word('fine'),
  ): void {
    const { account } = panel
    if (condition.state === 'fine') {
      if (account.licenceNotice(operation) !== undefined) this.#show('yellow', 'ring', this.#word('licence'))
      else if (panel.online) this.#fine(account.clock, text)
      else this.#show('yellow', 'ring', this.#word('offline'))
    } else if (condition.state === 'reading') {
      if (account.phase === 'ready') this.running()
      else this.#show('yellow', 'ring', this.#word('signingIn'))
    } else if (condition.state === 'stale') {
      this.#show('yellow', 'ring', this.#word('stale'))
    } else if (account.phase === 'held') {
      this.#show('yellow', 'ring', this.#word('held', { time: holdEnd(account) }))
    } else {
      this.failing(condition.error)
    }
  }

  /** Ends what goes on by itself; the node is closed. */
  end(): void {
    this.#stopCounting()
  }

  #fine(clock: Clock, text: string | Countdown): void {
    if (typeof text === 'string') this.#show('green', 'dot', text)
    else this.#count(clock, text)
  }

  /** Shows the seconds that are left, and each second again until there are none, or until something else is shown. */
  #count(clock: Clock, countdown: Countdown): void {
    const { until, text } = countdown
    const left = secondsUntil(until, clock.monotonic())
    this.#show('green', 'dot', text(left))
    if (left === 0) return
    const next = until - second * (left - 1) - clock.monotonic()
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
    this.#node.status({ fill, shape, text: text.slice(0, longest) })
  }
}

/** The time of day, in this machine's zone, at which a hold ends. */
function holdEnd({ heldUntil = Date.now() }: Account): string {
  return new Date(heldUntil).toTimeString().slice(0, 5)
}
