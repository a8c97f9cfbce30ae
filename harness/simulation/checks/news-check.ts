import type { FlowMessage } from '../../recorder.ts'
import type { Alarm } from '../world/world-record.ts'
import type { Surroundings } from './check.ts'
import { threat } from './statuses-check.ts'

/** The news that are worth waking somebody. */
const loud = ['alarm', 'zone', 'contact']

/** Characters that a locked phone shows. */
const maxTitleLength = 60

/** States in which a panel watches nothing. */
const unarmed = ['DISARM', 'PROGRAMMING']

/** The facts that were told of an incident before a message. */
export interface ToldBefore {
  status: string
  alarms: readonly Alarm[]
  /** The numbers of the zones, also of those that only the list of alarms has shown. */
  zones: readonly number[]
}

/**
 * A message about an incident has a short title and no word for a threat. It is loud if it shows the alarm of a further zone
 * while the incident lasts, or the loss of a panel that watches, which is told within two polls; it is `over` when the
 * incident is closed.
 */
export class NewsCheck {
  readonly #of: Surroundings
  #contactLostAt = Number.NEGATIVE_INFINITY
  #openContact: string | undefined

  constructor(of: Surroundings) {
    this.#of = of
  }

  /** Notes what a message tells of the contact with the panel, also while answers are wrong. */
  noteContact({ payload: { id, kind, status, news }, isAnswer }: FlowMessage, now: number): void {
    if (kind === 'contact') this.#openContact = status === 'closed' ? undefined : id
    if (news === 'contact' && !isAnswer) this.#contactLostAt = now
  }

  /** @param everTold the numbers of the zones that were told before, also by a message that is forgotten */
  hear(
    { payload, redelivered, isAnswer }: FlowMessage,
    before: ToldBefore | undefined,
    alarms: readonly Alarm[],
    everTold: readonly number[] = [],
  ): void {
    const { id, kind, status, zones, title, summary, news } = payload
    if (typeof title !== 'string' || title === '' || title.length > maxTitleLength)
      this.#report(id, `the title is "${title}"`)
    if (threat.test(`${title} ${summary}`)) this.#report(id, `says "${title}: ${summary}"`)
    if (isAnswer || redelivered || kind === 'contact' || kind === 'duress') return
    const added = alarms.filter((alarm) => !before?.alarms.includes(alarm))
    const isFurther = added.some(({ zone }) => !everTold.includes(zone))
    const isOver = status === 'closed' && before?.status !== 'closed'
    const isLoud = loud.includes(news)
    if (isFurther && status !== 'closed' && !isLoud) this.#report(id, `tells a further alarm as ${news}`)
    // The list of alarms may show it before its event has come.
    const isListed = before?.status === 'closed' && this.#of.world.alarms.some(({ to }) => to === null)
    // Zones that only the list has shown, beyond those that the summary names, come with the next message.
    const isFirstTold = zones.some(({ zone }: Alarm) => !before?.zones.includes(zone))
    if (
      added.length === 0 &&
      !isListed &&
      !isFirstTold &&
      isLoud &&
      news !== 'contact' &&
      before?.status !== 'restored'
    )
      this.#report(id, `tells ${news} without a further alarm`)
    if (isOver !== (news === 'over')) this.#report(id, `is told as ${news} when it is ${status}`)
  }

  /** Compares what was told of the contact with the panel. */
  compare(now: number): void {
    const { blind, report, world } = this.#of
    const earliest = blind.earliest('state', now, 2)
    const lostAt = world.facts.since('online')
    const isWatching = world.panel.partitions.some(
      ({ plan }) => !unarmed.includes(world.facts.values(`partition ${plan.id} value`, now, now)[0] ?? ''),
    )
    // One that was back for less than a poll may be told as the same loss.
    const wasBack = world.facts.stayed('online', 'true', blind.earliest('state', lostAt, 1), lostAt - 1)
    const isLost = world.facts.stayed('online', 'false', earliest, now)
    if (isLost && wasBack && isWatching && this.#contactLostAt < lostAt)
      report(`contact ${lostAt}`, 'incident: the loss of a panel that watches is not told')
    if (this.#openContact !== undefined && world.facts.stayed('online', 'true', earliest, now))
      report(`back ${lostAt}`, 'incident: the contact is told as lost, and the panel is back')
  }

  #report(id: string, sentence: string): void {
    this.#of.report(`news ${id} ${sentence}`, `incident: ${id} ${sentence}`)
  }
}
