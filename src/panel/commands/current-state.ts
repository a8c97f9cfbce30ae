import type { Account } from '../../account/account.ts'
import type { Answer, ReadOptions } from '../../account/request-coalescer.ts'
import type { PanelKey } from '../../account/sign-in.ts'
import { operations } from '../../service/operations.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { PanelInfo } from '../../service/responses/panel-info.ts'
import type { ProcessStatus } from '../../service/responses/process-status.ts'
import type { PanelClient } from '../panel-client.ts'
import type { Snapshot } from '../snapshot.ts'
import { requirePartitions, type StateView } from '../state/partition-state.ts'
import { concludedSituation, type Situation, situationOf } from './situation.ts'

/** The panel, as far as commands use it. */
export interface CommandedPanel {
  readonly account: Account
  readonly settings: PanelKey & { allowCommands: boolean }
  readonly panelClient: PanelClient
  /** The panel's name: the user's, else the service's, else the serial. */
  title(): string
  /** Returns the state inferred from events, for services that have no operation for it. */
  concluded(asking: ReadOptions, info: PanelInfo): Promise<Snapshot<StateView>>
  /** Notes whether the service reaches the panel; null if it does not say. */
  heard(online: boolean | null): void
  /** Announces that the state is about to change, so that its listeners see the change soon. */
  settle(): void
}

const hour = 60 * 60 * 1000

/**
 * The current data of the panel for a command. It is requested now, because a shared answer may be older than
 * the command.
 */
export class CurrentState {
  readonly #panel: CommandedPanel
  readonly #asking: ReadOptions

  /** @param signal aborts the requests */
  constructor(panel: CommandedPanel, signal: AbortSignal) {
    this.#panel = panel
    this.#asking = { lane: 'urgent', maxAge: 0, signal }
  }

  /** Returns the setup of the panel, which hardly ever changes. */
  async info(): Promise<PanelInfo> {
    const { panelClient } = this.#panel
    await panelClient.identify(this.#asking)
    return (await panelClient.ask(operations.panelInfo, { ...this.#asking, maxAge: hour })).value
  }

  /**
   * Returns the situation of the panel.
   * @param since milliseconds of the monotonic clock; answers requested earlier are not used
   */
  situation(since: number): Promise<Answer<Situation>> {
    return askedSince(since, async () => {
      const { panelClient, concluded } = this.#panel
      const info = await this.info()
      const status = await panelClient.askIfThere(operations.status, this.#asking)
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

  /** Returns the panel's devices; `since` as for the situation. */
  devices(since: number): Promise<Answer<readonly Device[]>> {
    return askedSince(since, () => this.#panel.panelClient.ask(operations.devices, this.#asking))
  }

  /** Returns the service's report on the commands with this token. */
  processes(token: string): Promise<Answer<ProcessStatus[]>> {
    const { account, settings } = this.#panel
    return account.ask(operations.processStatus, { ...this.#asking, panel: settings, token })
  }
}

/**
 * Returns an answer that was requested no earlier than `since`. An answer shared with others may have been
 * requested earlier.
 */
async function askedSince<A extends { sentAt: number }>(since: number, ask: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await ask()
    if (answer.sentAt >= since) return answer
  }
}
