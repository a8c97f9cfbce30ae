import type { FlowMessage } from '../../recorder.ts'
import { reportsArmings } from '../life.ts'
import { isTimeOf } from '../world/repeated-hour.ts'
import { labelOf } from '../world/world-facts.ts'
import type { Action } from '../world/world-record.ts'
import type { NodeCheck, Surroundings } from './check.ts'
import { Claims, insteadOfAlarm } from './claims.ts'

/** An alarm in a message. */
interface ToldAlarm {
  inMemory: boolean
  zoneName: string
  location: string
}

/** The latest message about a partition. */
interface ToldState {
  value: string
  /** The moment of the latest message. */
  at: number
  /** The moment of the latest message with another value. */
  otherAt: number | undefined
}

/**
 * The state of each partition is one that it had since the poll before the latest one, and so are its active alarms. Who
 * changed it is nobody, the last person who did, or one who did after the state before was told; after a start, the last
 * one whose event had come.
 */
export class StateCheck implements NodeCheck {
  readonly #of: Surroundings
  readonly #claims: Claims
  readonly #told = new Map<number, ToldState>()
  #startedAt = Number.NEGATIVE_INFINITY

  constructor(of: Surroundings) {
    this.#of = of
    this.#claims = new Claims(of, 'state')
  }

  /** Notes that the nodes start anew: they know the state before no longer, and who changed it from the list of events alone. */
  start(now: number): void {
    this.#startedAt = now
  }

  hear({ payload, state, partition, stale }: FlowMessage, now: number): void {
    const { id } = partition
    const { value, alarms, changedBy } = state
    if (payload !== value)
      this.#of.report(`payload ${id}`, `state: the payload is ${payload}, and not ${value}`)
    const before = this.#told.get(id)
    const otherAt = before === undefined || before.value === value ? before?.otherAt : before.at
    this.#told.set(id, { value, at: now, otherAt })
    // A list of events is too short for a long alarm.
    const facts: [string, string][] = this.#of.house.hasAlarmList ? this.#zonesOf(alarms) : []
    for (const [what, word] of [['value', value] as const, ...facts]) {
      const fact = `partition ${id} ${what}`
      if (stale) this.#claims.withdraw(fact)
      else
        this.#claims.tell(
          {
            fact,
            source: 'state',
            ...(what === 'value' && insteadOfAlarm(`partition ${id} armed`, this.#of.house)),
          },
          word,
          now,
        )
    }
    if (changedBy !== null && otherAt !== undefined) this.#checkPerson(id, value, changedBy, { otherAt, now })
  }

  compare(now: number): void {
    this.#claims.compare(now)
  }

  /**
   * Returns for each zone if it is told as one in alarm. Each by itself: one that a list lacks is told with a new one, until
   * another list lacks it too.
   */
  #zonesOf(alarms: readonly ToldAlarm[]): [fact: string, word: string][] {
    const active = alarms.filter(({ inMemory }) => !inMemory)
    const names = active.map(({ zoneName, location }) => zoneName || location)
    const all = new Set([...this.#of.world.panel.devices.map(labelOf), ...names])
    return [...all].map((name) => [`alarm of ${name}`, names.includes(name) ? 'true' : ''])
  }

  #checkPerson(
    id: number,
    value: string,
    told: { name: string; at: string | null },
    { otherAt, now }: { otherAt: number; now: number },
  ): void {
    const { world, blind, report } = this.#of
    if (blind.isWrong('state', otherAt, now) || blind.isWrong('events', otherAt, now)) return
    const leadsTo = value === 'ARMING' ? ['AWAY', 'HOME'] : [value]
    const done = world.actions.filter(({ partition, value: to }) => partition === id && leadsTo.includes(to))
    const last = done.at(-1)
    // After a start, the last one may be whose event has come: nobody knows that another one is on its way.
    const listedBy = blind.earliest('events', now, 1)
    const latestListed = done.findLast(({ at }) => at < listedBy)?.at ?? Number.NEGATIVE_INFINITY
    const known = otherAt < this.#startedAt ? latestListed : blind.earliest('state', otherAt, 1)
    // The last event of a panel that reports none any more: nobody knows that a person came after it.
    const earliest = reportsArmings(this.#of.house) ? known : Number.NEGATIVE_INFINITY
    // Nobody can tell a late event of what has changed nothing from that of the change.
    const isLate = ({ isRepeated, at }: Action) => isRepeated && blind.isBlind('events', at, otherAt)
    const isTrue = done.some(
      (one) =>
        (one === last || one.at >= earliest || isLate(one)) &&
        one.person === told.name &&
        (told.at === null || isTimeOf(told.at, one.time, this.#of.house)),
    )
    if (isTrue) return
    const person = last && `${last.person} at ${new Date(last.time).toISOString()}`
    report(
      `person ${id}`,
      `state: partition ${id} is told as ${value}, changed by ${told.name} at ${told.at}, and the last one was ${person}`,
    )
  }
}
