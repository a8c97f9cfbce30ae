import type { DeliveredEvent, EventSubscriber } from '../events/subscription.ts'
import type { AlarmEvidence } from '../state/alarm-evidence.ts'
import type { StateView } from '../state/partition-state.ts'
import { SignMemory, withSigns } from './first-signs.ts'
import { type DueIncident, IncidentReport, type NextBook } from './incident-report.ts'
import { type AlarmList, type Contact, withAlarms, withContact } from './incident-state.ts'
import type { IncidentView } from './incident-view.ts'
import { type ListedZones, withLeftOutZones } from './left-out-zones.ts'
import { type FeedOwner, tellNoted } from './noted-report.ts'
import type { RunningAlarm } from './running-alarms.ts'

/**
 * Joins the events that are delivered to a node, and the panel's list of alarms, to incidents, and tells those that have
 * changed. The notes are saved before a message is sent, so that a kill at any moment leaves either both or none.
 */
export class IncidentFeed<C> {
  readonly #owner: FeedOwner<C, readonly DueIncident[]>
  #report = new IncidentReport()
  #isRecalled = false
  readonly #signs = new SignMemory()
  /** Undefined before the first answer. */
  #hasContact: boolean | undefined
  /** Incidents changed by the events that are about to be sent. */
  #due: readonly DueIncident[] = []

  constructor(owner: FeedOwner<C, readonly DueIncident[]>) {
    this.#owner = owner
  }

  /** All incidents, by the time at which they became known; empty before the first list of events. */
  get views(): IncidentView[] {
    const { catalogue, readAt } = this.#owner.context()
    return this.#isRecalled ? this.#report.views(catalogue, readAt) : []
  }

  /** The alarms of incidents that are not over; empty before the first list of events. */
  get unended(): RunningAlarm[] {
    const { catalogue, readAt } = this.#owner.context()
    return this.#isRecalled ? this.#report.unended(catalogue, readAt) : []
  }

  /**
   * Returns the incidents of the notes that another process has saved: all, by the time at which they became known.
   * @param list the list of events, for the names of their types
   */
  viewsOf(notes: string | null, list: C): IncidentView[] {
    const { catalogue, readAt } = this.#owner.context(list)
    const report = new IncidentReport()
    report.recall(notes, readAt)
    return report.views(catalogue, readAt)
  }

  /** The subscription to the events; the first list tells who has armed, and whether an alarm lasts. */
  get subscriber(): EventSubscriber<C> {
    return {
      policy: { first: 'deliver', missed: 'deliver' },
      recall: (notes) => {
        this.#report.recall(notes, this.#owner.context().readAt)
        this.#isRecalled = true
        this.#signs.forget()
        this.#hasContact = undefined
      },
      forget: () => {
        this.#report = new IncidentReport()
        this.#isRecalled = false
        this.#due = []
      },
      note: (deliveries, list) => {
        const context = this.#owner.context(list)
        const isNew = this.#report.addEvents(deliveries, context)
        this.#due = this.#report.due(context.catalogue, context.readAt)
        this.#report.noteTold(this.#due)
        return isNew || this.#due.length > 0 ? this.#report.notes(context.readAt) : undefined
      },
      events: (deliveries, list) => {
        // That an event may be a repeat is known for certain only after the attempt to note it.
        const due = withRepeats(this.#due, deliveries)
        this.#due = []
        this.#owner.send(due, list)
      },
      gap: () => {},
    }
  }

  /**
   * Takes the panel's list of alarms; undefined if it has no list of its own.
   * @param evidence what the answers show of alarms that no event ends
   */
  readAlarms(list: AlarmList | undefined, evidence?: AlarmEvidence): void {
    if (evidence !== undefined) this.#report.noteEpochs(evidence.epochs)
    this.#check((book, { catalogue, readAt }) => withAlarms(book, list, catalogue, readAt, evidence))
  }

  /**
   * Takes an answer about the state: an alarm that only its list or state shows opens an incident that no event confirms yet.
   * @param sentAt the time of the request for the answer, in milliseconds of the monotonic clock
   */
  readSigns(view: StateView, sentAt: number): void {
    const signs = this.#isRecalled ? this.#signs.take(view, sentAt) : []
    if (signs.length === 0) return
    this.#check((book, { catalogue, readAt, timeZone }) =>
      withSigns(book, signs, catalogue, readAt, timeZone),
    )
  }

  /**
   * Takes the contact with the panel. Right after a sign-in a service may not have reached the panel yet, so only the second
   * answer of a process that has not seen it online says that it is lost.
   */
  readContact(contact: Contact): void {
    if (!this.#isRecalled) return
    const isCertain = contact.online || this.#hasContact !== undefined
    this.#hasContact = contact.online
    if (isCertain) this.#check((book, { catalogue, readAt }) => withContact(book, contact, catalogue, readAt))
  }

  /** Takes the list of devices that another node has read: after the state, which has just compared with what was told. */
  readDevices(zones: ListedZones): void {
    this.#check((book, { catalogue, readAt }) => withLeftOutZones(book, zones, catalogue, readAt), false)
  }

  /**
   * Notes what has become known, and tells what is due.
   * @param comparesTold false if nothing is to be told unless something new has become known
   */
  #check(next: NextBook, comparesTold = true): void {
    const story = this.#owner.context()
    const { catalogue, readAt } = story
    if (!this.#isRecalled) return
    const isChanged = this.#report.change(next, story)
    if (!isChanged && !(comparesTold && this.#report.due(catalogue, readAt).length > 0)) return
    tellNoted(this.#owner, {
      due: () => this.#report.due(catalogue, readAt),
      noteTold: (due) => this.#report.noteTold(due),
      notes: (untold) => this.#report.notes(readAt, untold),
    })
  }
}

/** Returns the incidents, of which those with an event that may be a repeat may have been told before. */
function withRepeats(due: readonly DueIncident[], deliveries: readonly DeliveredEvent[]): DueIncident[] {
  const repeated = new Set(deliveries.flatMap(({ key, redelivered }) => (redelivered ? [key] : [])))
  return due.map((one) => ({
    ...one,
    redelivered: one.redelivered || one.incident.timeline.some(({ key }) => repeated.has(key)),
  }))
}
