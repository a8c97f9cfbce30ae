import type { PanelDevices } from '../devices/readings.ts'
import type { EventSubscriber } from '../events/subscription.ts'
import { type FeedOwner, tellNoted } from '../incidents/noted-report.ts'
import { storyEvents } from '../incidents/story-event.ts'
import type { StateView } from '../state/partition-state.ts'
import type { ChainTests } from './chain-tests.ts'
import type { PanelCondition } from './condition.ts'
import {
  type ConditionBook,
  type ConditionContext,
  newBook,
  type Running,
  withAlarms,
  withChain,
  withDevices,
  withEvents,
  withFacts,
  withoutDevices,
  withState,
} from './condition-book.ts'
import { type ConditionChoice, listedConditions, type Telling } from './condition-choice.ts'
import { ConditionReport, type DueList } from './condition-report.ts'
import { areBackupsDue, areTestsDue, type MaintenanceFacts, nothingKnown } from './maintenance.ts'
import { withSharedZones } from './shared-zones.ts'

/**
 * Joins what the lists of a panel show with its events to one list of conditions, and tells it when it changes. Nothing is
 * sent before the notes that remember it are saved, so that a kill at any moment repeats a message at most, flagged.
 *
 * Until it has its notes it keeps only the latest lists.
 */
export class ConditionFeed<C> {
  readonly #owner: FeedOwner<C, DueList>
  readonly #choice: ConditionChoice
  readonly #report: ConditionReport
  #devices: { view: PanelDevices; requestedAt: number } | 'none' | undefined
  #state: StateView | undefined
  #running: Running = { alarms: [], contactLostAt: null, areAll: false }
  /** True if the notes were given back and the lists that came before are not yet compared with them. */
  #isBehind = false

  constructor(owner: FeedOwner<C, DueList>, choice: ConditionChoice) {
    this.#owner = owner
    this.#choice = choice
    this.#report = new ConditionReport(choice)
  }

  /** The list now; empty before the first list of events. */
  get conditions(): readonly PanelCondition[] {
    return this.#report.listed(this.#now)
  }

  /** The known facts about the maintenance. */
  get facts(): MaintenanceFacts {
    return this.#report.book?.facts ?? nothingKnown
  }

  /** True if the backups are to be read now. */
  get needsBackups(): boolean {
    const { book } = this.#report
    return this.#choice.kinds.has('backup') && book !== undefined && areBackupsDue(book.facts, this.#now)
  }

  /** True if the tests of an inspection that failed are to be read now. */
  get needsTests(): boolean {
    const { book } = this.#report
    return this.#choice.kinds.has('inspection') && book !== undefined && areTestsDue(book.facts, this.#now)
  }

  /** The subscription to the events. */
  get subscriber(): EventSubscriber<C> {
    return {
      policy: { first: 'deliver', missed: 'deliver' },
      recall: (notes) => {
        this.#report.recall(notes, this.#now)
        this.#isBehind = true
      },
      note: (deliveries, list) => {
        const story = this.#owner.context(list)
        const before = this.#report.book
        this.#report.change((book) => {
          const events = storyEvents(deliveries, story, book.events)
          return withEvents(book, events, this.#context(story))
        }, story.readAt)
        return this.#report.book === before ? undefined : this.#report.notes()
      },
      // The notes have the events now; what they change is told like all else.
      events: () => this.#check((book) => book),
      gap: () => {},
    }
  }

  /**
   * Returns the list that these views show, for an answer of a process that does not follow the conditions: without what
   * only the events tell, and with a begin of now.
   */
  presentConditions(
    state: StateView,
    devices: PanelDevices | undefined,
    running: Omit<Running, 'areAll'>,
  ): readonly PanelCondition[] {
    const context = this.#context()
    const book = withAlarms(
      withState(newBook(context.now), state, context),
      { ...running, areAll: true },
      context,
    )
    const all =
      devices === undefined
        ? book
        : withSharedZones(withDevices(book, devices, context), devices, state, context.now)
    return listedConditions(all.conditions, { ...this.#choice, after: {} }, [], context.now)
  }

  /** Forgets a list, because another process goes on: it would be old when this one does again. */
  forgetList(list: 'state' | 'devices'): void {
    if (list === 'state') this.#state = undefined
    else this.#devices = undefined
  }

  /** Takes the list of devices. @param requestedAt milliseconds since 1970 */
  readDevices(view: PanelDevices, requestedAt: number): void {
    this.#devices = { view, requestedAt }
    this.#check((book, told) => this.#afterBoth(this.#afterDevices(book, told)))
  }

  /** Takes notice that the service has no list of devices. */
  lackDevices(): void {
    this.#devices ??= 'none'
    this.#check((book, told) => this.#afterDevices(book, told))
  }

  /** Takes the state of the panel. */
  readState(view: StateView): void {
    this.#state = view
    this.#check((book) => this.#afterBoth(withState(book, view, this.#context())))
  }

  /** Takes what runs. */
  readAlarms(running: Running): void {
    this.#running = running
    this.#check((book) => this.#afterAlarms(book))
  }

  /** Takes what the tests of the alarm chain show. */
  readChain(tests: Pick<ChainTests, 'evidence' | 'speaksOf'>): void {
    this.#check((book) => withChain(book, tests.evidence, (one) => tests.speaksOf(one), this.#context()))
  }

  /** Takes what has become known about the maintenance. */
  learn(facts: Partial<MaintenanceFacts>): void {
    this.#check((book) => withFacts(book, facts, this.#choice, this.#context()))
  }

  /** Takes the latest lists after the notes were given back, once the events that belong to them are known. */
  catchUp(): void {
    if (!this.#isBehind) return
    this.#isBehind = false
    this.#check((book, told) => {
      const state = this.#state
      const after = state === undefined ? book : withState(book, state, this.#context())
      return this.#afterAlarms(this.#afterBoth(this.#afterDevices(after, told)))
    })
  }

  #afterAlarms(book: ConditionBook): ConditionBook {
    return withAlarms(book, this.#running, this.#context())
  }

  #afterDevices(book: ConditionBook, told: readonly Telling[]): ConditionBook {
    if (this.#devices === undefined) return book
    if (this.#devices === 'none') return withoutDevices(book, this.#context())
    const { view, requestedAt } = this.#devices
    return withDevices(book, view, this.#context(), { requestedAt, told })
  }

  /** Compares the latest devices with the latest state, if the node tells what that shows. */
  #afterBoth(book: ConditionBook): ConditionBook {
    const [devices, state] = [this.#devices, this.#state]
    if (devices === undefined || devices === 'none' || state === undefined) return book
    if (!this.#choice.kinds.has('unguarded')) return book
    return withSharedZones(book, devices.view, state, this.#now)
  }

  /** Notes what has become known, and tells the list if it is due. */
  #check(next: (book: ConditionBook, told: readonly Telling[]) => ConditionBook): void {
    if (!this.#report.change(next, this.#now)) return
    tellNoted(this.#owner, {
      due: () => this.#report.due(this.#now),
      noteTold: (due) => this.#report.noteTold(due, this.#now),
      notes: (untold) => this.#report.notes(untold !== undefined),
    })
  }

  get #now(): number {
    return this.#owner.context().readAt
  }

  #context({ catalogue, readAt } = this.#owner.context()): ConditionContext {
    return { catalogue, now: readAt }
  }
}
