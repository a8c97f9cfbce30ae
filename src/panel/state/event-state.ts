import type { Account } from '../../account/account.ts'
import type { Answer } from '../../account/answer.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import type { PanelInfo } from '../../service/responses/panel-info.ts'
import { concerns, wholePanel } from '../../service/responses/status.ts'
import { chronological, withRepeatedHour } from '../events/event-order.ts'
import { type AlarmEvidence, isOverByAnswers, isShownArmed, noEvidence } from './alarm-evidence.ts'
import { type AlarmCheck, type EventCheck, inferredState, keepKnownStates } from './inferred-state.ts'
import { KnownEvents } from './known-state.ts'
import type { StateView } from './partition-state.ts'
import { evidenceOf, isOfList, lastSeenOnline, type StateChanges } from './state-changes.ts'

/** A list of events; undefined if it cannot be read now, and those that are known count. */
type EventList = Answer<readonly PanelEvent[]> | undefined

/** The state of a panel as the lists of its events tell it, which are noted for this. */
export class EventState {
  readonly #account: Account
  readonly #changes: StateChanges
  readonly #known = new KnownEvents()
  #inferred: StateView | undefined

  /** @param changes are told each list */
  constructor(account: Account, changes: StateChanges) {
    this.#account = account
    this.#changes = changes
  }

  /**
   * Returns the state of a panel whose service has no operation for it, with earlier states of partitions that the list no
   * longer covers.
   * @param validFor milliseconds after which an earlier list is no longer the one before
   */
  infer(list: EventList, validFor: number, catalogue: Catalogue, info: PanelInfo | null): StateView {
    this.#inferred = keepKnownStates(this.stateOf(list, validFor, catalogue, info), this.#inferred)
    return this.#inferred
  }

  /**
   * Returns the state that the events tell, without the alarms of which the answers show that they are over.
   * @param validFor milliseconds after which an earlier list is no longer the one before
   * @param evidence of the answers; absent if the service has no status
   * @param disarmed the partitions that are disarmed by the status
   */
  stateOf(
    list: EventList,
    validFor: number,
    catalogue: Catalogue,
    info: PanelInfo | null,
    evidence?: AlarmEvidence,
    disarmed?: ReadonlySet<number>,
  ): StateView {
    const events = list === undefined ? this.#known.all : this.#note(list, validFor, catalogue)
    const timeEnds = evidence?.timeEnds ?? lastSeenOnline(events, catalogue) !== false
    const isOver = this.#checkWith(events, evidence, timeEnds, catalogue)
    const { timeZone } = this.#account.settings
    const { armings } = evidence ?? noEvidence
    const isArmed: EventCheck = (restore, id) =>
      armings.length > 0 && isShownArmed([id], this.#knownAt(restore), armings)
    return inferredState(events, catalogue, info, timeZone, { disarmed, isArmed, isOver })
  }

  #note(list: Answer<readonly PanelEvent[]>, validFor: number, catalogue: Catalogue): readonly PanelEvent[] {
    const { timeZone } = this.#account.settings
    const listed = chronological(withRepeatedHour(list.value, timeZone))
    this.#changes.noteEvents(listed, catalogue, list.sentAt)
    return this.#known.note(listed, list, validFor, timeZone)
  }

  #checkWith(
    events: readonly PanelEvent[],
    evidence: AlarmEvidence | undefined,
    timeEnds: boolean,
    catalogue: Catalogue,
  ): AlarmCheck {
    const { partitions, ...told } = evidence ?? noEvidence
    const { timeZone } = this.#account.settings
    const now = this.#account.clock.wall()
    return (alarm, id, state) => {
      const own = partitions.find((one) => one.id === id) ?? { id, state }
      // The disarm of one partition ends the alarm of a zone of several. An alarm of all is looked at for each of them.
      const shared = alarm.partitions.includes(wholePanel) ? [] : alarm.partitions
      const others = partitions.filter((one) => one.id !== id && shared.includes(one.id))
      const time = eventTime(alarm, timeZone)
      const unended = {
        time: time === null ? null : Date.parse(time),
        knownAt: this.#knownAt(alarm),
        disarmKnownAt: this.#disarmKnownAt(alarm, events, catalogue),
        partitions: [id, ...shared],
        isOfList: isOfList(alarm, catalogue),
      }
      if (evidence?.isListLost && !unended.isOfList) return true
      return isOverByAnswers(unended, { ...told, timeEnds, partitions: [own, ...others] }, now)
    }
  }

  /** Returns the time at which the disarm right before an alarm was known; null if it is an arming, and if there is none. */
  #disarmKnownAt(alarm: PanelEvent, events: readonly PanelEvent[], catalogue: Catalogue): number | null {
    const moves = events.slice(0, events.indexOf(alarm)).flatMap((event) => {
      const evidence = evidenceOf(event, catalogue)
      const isShared = alarm.partitions.some((id) => concerns(event.partitions, id))
      return isShared && evidence !== null && evidence !== 'ALARM' ? [{ event, evidence }] : []
    })
    const move = moves.at(-1)
    return move?.evidence === 'DISARM' || move?.evidence === 'CANCEL' ? this.#knownAt(move.event) : null
  }

  #knownAt(event: PanelEvent): number {
    const { clock, settings } = this.#account
    return this.#known.knownAt(event, settings.timeZone, clock.wall() - clock.monotonic())
  }
}
