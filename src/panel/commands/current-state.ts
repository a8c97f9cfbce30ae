import type { Account } from '../../account/account.ts'
import type { Answer, Asking } from '../../account/flights.ts'
import type { PanelKey } from '../../account/sign-in.ts'
import type { Device } from '../../service/devices.ts'
import { operations } from '../../service/operations.ts'
import type { PanelInfo } from '../../service/panel-info.ts'
import type { ProcessStatus } from '../../service/process-status.ts'
import type { Inquiry } from '../inquiry.ts'
import type { News } from '../panel.ts'
import { requirePartitions, type StateView } from '../state.ts'
import { concludedSituation, type Situation, situationOf } from './situation.ts'

/** The panel as commands need it. */
export interface CommandedPanel {
  readonly account: Account
  readonly settings: PanelKey & { allowCommands: boolean }
  readonly inquiry: Inquiry
  /** What the user or the service calls the panel. */
  title(): string
  /** The state as it is concluded from events, for services that have no operation for it. */
  concluded(asking: Asking, info: PanelInfo): Promise<News<StateView>>
  /** Notes whether the service reaches the panel; null where it does not say. */
  heard(online: boolean | null): void
  /** The state is about to change: whoever listens to it should learn of it soon. */
  settle(): void
}

const hour = 60 * 60 * 1000

/** What a command has to know of the panel, asked for now: what others heard a moment ago may be from before it. */
export class FreshLook {
  readonly #panel: CommandedPanel
  readonly #asking: Asking

  /** @param signal whoever looks goes away */
  constructor(panel: CommandedPanel, signal: AbortSignal) {
    this.#panel = panel
    this.#asking = { lane: 'urgent', maxAge: 0, signal }
  }

  /** How the panel is set up, which hardly ever changes. */
  async info(): Promise<PanelInfo> {
    const { inquiry } = this.#panel
    await inquiry.identify(this.#asking)
    return (await inquiry.ask(operations.panelInfo, { ...this.#asking, maxAge: hour })).value
  }

  /**
   * The situation of the panel.
   * @param since milliseconds of the monotonic clock; what was asked before is of no use
   */
  situation(since: number): Promise<Answer<Situation>> {
    return askedSince(since, async () => {
      const { inquiry, concluded } = this.#panel
      const info = await this.info()
      const status = await inquiry.askIfThere(operations.status, this.#asking)
      if (status === undefined) {
        const { view, ...dates } = await concluded(this.#asking, info)
        return { ...dates, value: concludedSituation(view, info) }
      }
      const value = situationOf(status.value, info)
      this.#panel.heard(value.online)
      requirePartitions(status.value)
      return { ...status, value }
    })
  }

  /** The panel's devices; `since` as for the situation. */
  devices(since: number): Promise<Answer<readonly Device[]>> {
    return askedSince(since, () => this.#panel.inquiry.ask(operations.devices, this.#asking))
  }

  /** What the service says of the commands with this token. */
  processes(token: string): Promise<Answer<ProcessStatus[]>> {
    const { account, settings } = this.#panel
    return account.ask(operations.processStatus, { ...this.#asking, panel: settings, token })
  }
}

/** An answer that was asked for no earlier than `since`: one that others wait for already may have been. */
async function askedSince<A extends { sentAt: number }>(since: number, ask: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await ask()
    if (answer.sentAt >= since) return answer
  }
}
