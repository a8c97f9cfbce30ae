import type { Account } from '../account/account.ts'
import type { Answer, Asking } from '../account/flights.ts'
import type { PanelEvent } from '../service/events.ts'
import { operations } from '../service/operations.ts'
import type { PanelInfo } from '../service/panel-info.ts'
import type { PanelStatus } from '../service/status.ts'
import { chronological } from './chronology.ts'
import type { EventCatalogue } from './event-catalogue.ts'
import { ExitDelays } from './exit-delays.ts'
import { alarming, inferredState, stillKnown } from './inferred-state.ts'
import type { Inquiry } from './inquiry.ts'
import { type News, news } from './news.ts'
import { exitDelayOf } from './partition-facts.ts'
import { Settling } from './settling.ts'
import { requirePartitions, type StateView, stateView } from './state.ts'

const second = 1000
const hour = 60 * 60 * second

/** Milliseconds between polls while the state changes. */
const settlingEvery = 5 * second

/** Reads the state of a panel, from whatever its service has for that, and says how often that is worth while. */
export class StateReading {
  readonly #account: Account
  readonly #inquiry: Inquiry
  readonly #catalogue: EventCatalogue
  readonly #every: number
  readonly #exits = new ExitDelays()
  readonly #settling = new Settling()
  #inferred: StateView | undefined
  /** What the alarms were last told with. */
  #told = ''

  /** @param every milliseconds between polls while nothing changes */
  constructor(account: Account, inquiry: Inquiry, catalogue: EventCatalogue, every: number) {
    this.#account = account
    this.#inquiry = inquiry
    this.#catalogue = catalogue
    this.#every = every
  }

  /** Milliseconds between polls now. */
  get interval(): number {
    return this.#isSettling ? Math.min(this.#every, settlingEvery) : this.#every
  }

  /** Notes that the state is about to change. */
  announce(): void {
    const now = this.#account.clock.monotonic()
    this.#exits.announce(now)
    this.#settling.announce(now)
  }

  /**
   * The state of this moment.
   * @throws KeyholderError
   */
  async read(asking: Asking): Promise<News<StateView>> {
    await this.#inquiry.identify(asking)
    const ofLately = { ...asking, maxAge: hour }
    const info = (await this.#inquiry.askForDescription(operations.panelInfo, ofLately)) ?? null
    // In one round, because an alarm shows in the one and the arming it belongs to in the other.
    const status = await this.#inquiry.askIfThere(operations.status, asking)
    const read = status === undefined ? this.infer(asking, info) : this.#tell(status, asking, info)
    const state = await read
    this.#settling.see(state.view.partitions, this.#account.clock.monotonic())
    return state
  }

  /**
   * The state as events tell it, for services without an operation for it (field fact).
   * @throws KeyholderError
   */
  async infer(asking: Asking, info: PanelInfo | null): Promise<News<StateView>> {
    const list = await this.#inquiry.ask(operations.events, asking)
    const concluded = await this.#concluded(list.value, asking, info)
    this.#inferred = stillKnown(concluded, this.#inferred)
    return news(list, this.#inferred, this.#every)
  }

  get #isSettling(): boolean {
    return this.#settling.isUnderWay(this.#account.clock.monotonic())
  }

  async #tell(status: Answer<PanelStatus>, asking: Asking, info: PanelInfo | null): Promise<News<StateView>> {
    requirePartitions(status.value)
    const { partitions } = status.value
    const exits = this.#exits.follow(partitions, (id) => exitDelayOf(info, id), status.sentAt)
    const forAlarms = this.#mayWait(status.value, asking) ? { ...asking, maxAge: this.#every } : asking
    const alarms = await this.#inquiry.askIfThere(operations.alarms, forAlarms)
    const { timeZone } = this.#account.settings
    const told = stateView(status.value, alarms?.value ?? [], info, timeZone, exits)
    const view = alarms === undefined ? await this.#withAlarmsOfEvents(told, forAlarms, info) : told
    const isAlarm = view.partitions.some(({ value }) => value === 'ALARM')
    this.#told = isAlarm ? '' : outline(status.value)
    return news(status, view, this.#every)
  }

  /**
   * Whether alarms as old as between two usual polls will do: while the state is read often, and shows neither a change
   * nor an alarm that may end. Half of the requests are so saved, which others can use.
   */
  #mayWait(status: PanelStatus, { lane }: Asking): boolean {
    return lane === 'poll' && this.#isSettling && outline(status) === this.#told
  }

  /** For services that tell the state and not the alarms, as the installers' do (field fact). */
  async #withAlarmsOfEvents(told: StateView, asking: Asking, info: PanelInfo | null): Promise<StateView> {
    const list = await this.#inquiry.askIfThere(operations.events, asking)
    return list === undefined ? told : alarming(told, await this.#concluded(list.value, asking, info))
  }

  async #concluded(
    events: readonly PanelEvent[],
    asking: Asking,
    info: PanelInfo | null,
  ): Promise<StateView> {
    const catalogue = await this.#catalogue.read(asking)
    return inferredState(chronological(events), catalogue, info, this.#account.settings.timeZone)
  }
}

/** A text that is the same as long as no partition changes. */
function outline({ partitions }: PanelStatus): string {
  return JSON.stringify(partitions.map(({ id, state, status }) => [id, state, status]))
}
