import { second } from '../../../duration.ts'
import type { EventFields } from '../event-log.ts'
import type { PanelOptions } from '../panel-options.ts'
import type { WorldTime } from '../world-time.ts'
import type { Incident } from './incidents.ts'

/** The parts of a panel that its reports of alarms need. */
interface Surroundings {
  readonly time: WorldTime
  readonly readOptions: () => PanelOptions
  /** Sends an event; returns its id, or 0 if it cannot arrive now. */
  sendEvent(event: EventFields): number
}

/** The end of an alarm by a disarm: never reported, reported and canceled, or reported and too old to be canceled. */
export type EndOfAlarm = 'aborted' | 'canceled' | 'late'

/** An alarm that is not reported yet, with what waits behind it. */
interface WaitingReport {
  readonly events: EventFields[]
  readonly stop: () => void
}

/**
 * The reports of alarms to the service. The siren sounds and the panel lists the alarm at once; it reports it only after the
 * abort time, and a disarm until then leaves no report of it. A disarm soon after the report cancels the alarm (makers'
 * guides, "abort time" and "cancel alarm").
 */
export class AlarmReports {
  readonly #surroundings: Surroundings
  readonly #waiting = new Map<Incident, WaitingReport>()

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  /** Reports an alarm that begins now: at once, or after the abort time. */
  report(incident: Incident, event: EventFields): void {
    const { abortTime } = this.#surroundings.readOptions()
    const dated = { ...event, datetime: incident.datetime }
    if (!incident.rule.hasAbortTime || abortTime === 0) {
      this.#send(incident, dated)
      return
    }
    const stop = this.#surroundings.time.after(abortTime, () => {
      this.#waiting.delete(incident)
      this.#send(incident, dated)
      for (const later of events) this.#surroundings.sendEvent(later)
    })
    const events: EventFields[] = []
    this.#waiting.set(incident, { events, stop })
  }

  /** Returns true if the abort time of an alarm is not over. */
  isWaiting(incident: Incident): boolean {
    return this.#waiting.has(incident)
  }

  /** Reports what follows an alarm, such as its restore: never before the alarm itself. */
  reportLater(incident: Incident, event: EventFields): void {
    const waiting = this.#waiting.get(incident)
    if (waiting) waiting.events.push(event)
    else this.#surroundings.sendEvent(event)
  }

  /** Notes that a user disarms, and returns what that makes of the alarm. */
  end(incident: Incident): EndOfAlarm {
    const waiting = this.#waiting.get(incident)
    if (waiting) {
      waiting.stop()
      this.#waiting.delete(incident)
      if (incident.reportedAt === null) return 'aborted'
    }
    const { time, readOptions } = this.#surroundings
    const age = time.now() - (incident.reportedAt ?? Number.NEGATIVE_INFINITY)
    return age < readOptions().cancelWindow * second ? 'canceled' : 'late'
  }

  #send(incident: Incident, event: EventFields): void {
    incident.reportedAt = this.#surroundings.time.now()
    incident.eventId = this.#surroundings.sendEvent(event)
  }
}
