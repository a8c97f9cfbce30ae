import type { FlowMessage } from '../../recorder.ts'
import type { Source } from '../blind-times.ts'
import { type Broker, bridgeTopic } from '../instance/broker.ts'
import { isShownTwice } from '../world/repeated-hour.ts'
import { type ArrivedEvent, timeOf } from '../world/world-record.ts'
import type { NodeCheck, Surroundings } from './check.ts'
import { type Claim, Claims, insteadOfAlarm } from './claims.ts'
import { threat } from './statuses-check.ts'

/** Home Assistant's word for each state of a partition. */
const words: Readonly<Record<string, string>> = {
  AWAY: 'armed_away',
  HOME: 'armed_home',
  NIGHT: 'armed_night',
  DISARM: 'disarmed',
  ENTRY_DELAY: 'pending',
  ARMING: 'arming',
  ALARM: 'triggered',
}

/** Milliseconds within which a panel that nobody serves is told as offline. */
const maxUnserved = 75_000

/** Milliseconds from the start of the node until everything is announced. */
const maxStart = 90_000

/** The types of the events that name a person who arms or disarms. */
const actionTypes = { armed_by: [85, 86, 93, 96], disarmed_by: [31, 89] }

/** The topics of the states that come from events. */
const eventStates = /\/(last_event|armed_by|disarmed_by)\/state$/

/**
 * The messages that the broker keeps are true, if it is told as available: a state was that of the panel since the poll before the latest
 * one. A panel that nobody serves is told as offline within a minute, one that is served and online is told as available.
 */
export class HomeAssistantCheck implements NodeCheck {
  readonly #of: Surroundings
  readonly #claims: Claims
  readonly #broker: Broker
  readonly #below: string
  /** The moment since which the node is on, or off. */
  #since = 0
  #isServed = false
  #begunAt = Number.POSITIVE_INFINITY
  /** The latest moment at which it showed a rehearsal. */
  #rehearsedAt = Number.NEGATIVE_INFINITY
  /**
   * The latest moment at which a rehearsal has replaced an event that the node did not know, or was killed: then the broker keeps
   * its event until the next one.
   */
  #replacedAt = Number.NEGATIVE_INFINITY
  /** The topics that the node has told of the real panel since its start. */
  readonly #own = new Set<string>()

  constructor(of: Surroundings, broker: Broker) {
    this.#of = of
    this.#claims = new Claims(of, 'home assistant')
    this.#broker = broker
    this.#below = `keyholder/${of.world.panel.serial}/`
  }

  /** Notes that the node is on from now on, or off. */
  serve(isServed: boolean, now: number): void {
    this.#isServed = isServed
    this.#since = now
    this.#own.clear()
    if (isServed) this.#begunAt = Math.min(this.#begunAt, now + maxStart)
  }

  /** Notes that it shows a rehearsal in place of the panel. */
  rehearse(now: number): void {
    this.#rehearsedAt = now
  }

  /** Notes that Node-RED was killed in a rehearsal. */
  kill(now: number): void {
    this.#replacedAt = now
  }

  hear(message: FlowMessage, now: number): void {
    this.#broker.publish(message)
    if (message.rehearsal !== true) this.#own.add(message.topic)
    else if (!this.#own.has(message.topic) && eventStates.test(message.topic)) this.#replacedAt = now
    if (message.topic.endsWith('/state') && threat.test(message.payload))
      this.#of.report(`threat ${message.topic}`, `home assistant: ${message.topic} is "${message.payload}"`)
  }

  compare(now: number): void {
    const { blind, report, world } = this.#of
    const { kept } = this.#broker
    if (now - this.#rehearsedAt < maxStart) return
    const isAvailable = kept.get(bridgeTopic) === 'online' && this.#kept('availability') === 'online'
    const lasts = now - this.#since
    if (!this.#isServed) {
      if (lasts > maxUnserved && isAvailable)
        report(
          'unserved',
          `home assistant: the panel is told as available, and nobody serves it for ${Math.round(lasts / 1000)} s`,
        )
      return
    }
    const earliest = blind.earliest('state', now, 3)
    const isOnline =
      world.facts.stayed('online', 'true', earliest, now) && !blind.isBlind('state', earliest, now)
    if (!isAvailable && isOnline && lasts > maxStart)
      report('unavailable', 'home assistant: the panel is told as unavailable, and it is online')
    if (isAvailable && world.facts.stayed('online', 'false', earliest, now))
      report('available', 'home assistant: the panel is told as available, and it is offline')
    // After a start, what the broker has kept is from before.
    if (!isAvailable || lasts < maxStart) return
    this.#readStates(now)
    this.#claims.compare(now)
    this.#checkEvents(now)
  }

  #readStates(now: number): void {
    const tell = (
      fact: string,
      source: Source,
      word: unknown,
      wordOf: (value: string) => unknown,
      more: Partial<Claim> = {},
    ) => {
      // Null is unknown.
      if (word === undefined || word === null) this.#claims.withdraw(fact)
      else this.#claims.tell({ fact, source, wordOf, ...more }, word, now)
    }
    for (const { plan } of this.#of.world.panel.partitions) {
      const told = this.#object(`partition_${plan.id}/state`)
      const instead = insteadOfAlarm(`partition ${plan.id} armed mode`, this.#of.house)
      tell(`partition ${plan.id} mode`, 'state', told?.state, (value) => words[value], instead)
      tell(`partition ${plan.id} ready`, 'state', told?.ready, onOff)
    }
    const panel = this.#object('panel/state')
    tell('panel triggered', 'alarms', panel?.triggered, onOff)
    // Only the list of alarms tells what is in memory.
    if (this.#of.house.hasAlarmList) tell('panel memory', 'state', panel?.memory, onOff)
    tell('online', 'state', this.#object('diagnostics/state')?.online, onOff)
    tell('panel troubles', 'devices', panel?.troubles, Number)
    tell('panel bypassed', 'devices', panel?.bypassed_zones, onOff)
    for (const { id } of this.#of.world.panel.devices) {
      const told = this.#object(`d${id}/state`)
      if (told === undefined) continue
      tell(`device ${id} tamper`, 'devices', told.tamper, onOff)
      tell(`device ${id} battery`, 'devices', told.battery, onOff)
      // A detector of a hazard has other signs than a contact.
      tell(`device ${id} contact`, 'devices', told.open, (value) => (value === '' ? told.open : onOff(value)))
      tell(`device ${id} bypassed`, 'devices', told.bypass ?? told.bypassed, onOff)
      tell(`device ${id} temperature`, 'devices', told.temperature, Number)
      tell(`device ${id} brightness`, 'devices', told.illuminance, Number)
    }
  }

  /** Checks the states that come from events: the latest one of all, and the latest that name who armed and disarmed. */
  #checkEvents(now: number): void {
    const { blind, house, report, world } = this.#of
    const earliest = blind.earliest('events', now, 1)
    if (!blind.isCertain('events', earliest, now)) return
    const check = (
      object: string,
      isMeant: (one: ArrivedEvent) => boolean,
      wordOf: (one: ArrivedEvent) => string,
    ) => {
      const all = world.events.filter(isMeant)
      const known = all.filter(({ at }) => at < earliest)
      const before = known.filter(({ at }) => at > this.#begunAt)
      // The latest one is the last that has arrived, or the last that has happened.
      const latest = [
        before.at(-1),
        known.toSorted((one, other) => timeOf(one.event) - timeOf(other.event)).at(-1),
      ]
      const ats = new Set(latest.map((one) => one?.at))
      // Of those of an hour that clocks show twice, another one may be read as the last.
      const isPossible = ({ event, at }: ArrivedEvent) =>
        at >= earliest || ats.has(at) || isShownTwice(timeOf(event), house)
      const possible = all.filter(isPossible).map(wordOf)
      if (before.length === 0 || all.every(({ at }) => at <= this.#replacedAt || at >= earliest)) return
      const told = this.#object(`${object}/state`)?.value
      if (!possible.includes(told))
        report(
          object,
          `home assistant: ${object} is told as ${told}, and is ${[...new Set(possible)].join(' or ')}`,
        )
    }
    check(
      'last_event',
      ({ event }) => event.type_id !== 15,
      ({ event }) => event.description,
    )
    for (const [object, types] of Object.entries(actionTypes))
      check(
        object,
        ({ event }) => types.includes(event.type_id),
        ({ event }) => event.appointment,
      )
  }

  #kept(path: string): string | undefined {
    return this.#broker.kept.get(this.#below + path)
  }

  #object(path: string): FlowMessage | undefined {
    return this.#broker.object(this.#below + path)
  }
}

function onOff(value: string): string {
  return value === 'true' ? 'ON' : 'OFF'
}
