import type { Telling } from '../events/event-delivery.ts'
import type { StoryContext } from './story-event.ts'

/** The functions of a node that its feed of incidents, or of conditions, needs; they must not throw. */
export interface FeedOwner<C, Due> {
  /** Returns what the service's texts and times mean now; for events, with the time at which their list was read. */
  context(list?: C): StoryContext
  /** Has the event delivery save the notes, and tells. */
  tell(telling: Telling): void
  /** @param list the events that have changed something; absent if another list has */
  send(due: Due, list?: C): void
}

/** The facts that a node knows and tells, and the notes from which the next process goes on. */
export interface NotedReport<Due> {
  /** Returns what is to be told now; undefined if there is nothing to send. */
  due(): Due | undefined
  /** Notes that this is told. */
  noteTold(due: Due): void
  /** Returns what the next process needs. @param untold what is about to be sent, and may still be lost */
  notes(untold?: Due): string
}

/** Has the notes of a report saved, tells what was due then, and has them saved again: what a kill repeats is flagged. */
export function tellNoted<Due>(owner: FeedOwner<never, Due>, report: NotedReport<Due>): void {
  let due: Due | undefined
  owner.tell({
    notes: (isTold) => {
      if (!isTold) due = report.due()
      return isTold ? report.notes() : report.notes(due)
    },
    send: () => {
      if (due === undefined) return
      report.noteTold(due)
      owner.send(due)
    },
  })
}
