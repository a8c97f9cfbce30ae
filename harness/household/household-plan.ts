import type { Random } from '../../src/simulator/random.ts'
import type { Panel } from '../../src/simulator/world/panel.ts'
import { Installation } from '../../src/simulator/world/sample-sites.ts'

/** The lengths of a day of the household, and what goes wrong in it. */
export interface HouseholdHabits {
  days: number
  /** Hours between going to bed and getting up, and between leaving and coming back. */
  nightHours: number
  awayHours: number
  /** The chance that a day has a burglary, that it has a fire, and that its night has one. */
  alarms: number
}

/** Days of 24 hours without an alarm, for the number of requests. */
export const quietDays = { nightHours: 7.5, awayHours: 8.9, alarms: 0 }

/**
 * Days of 12 hours with a burglary and two fires, for the age of news: quiet stretches are shorter, because nothing
 * happens in them, and half an hour suffices for each interval to be in force.
 */
export const eventfulDays = { nightHours: 2, awayHours: 2, alarms: 1 }

/** Something that happens at the panel, `at` seconds after the start. */
export type Act = { at: number } & (
  | { what: 'arm'; state: 'AWAY' | 'HOME'; exitDelay: number }
  | { what: 'disarm' }
  /** `lasts`: seconds until it is closed, for the news of an opening. */
  | { what: 'open'; zone: number; lasts: number }
  | { what: 'close'; zone: number }
  /** The simulated panel may have done something by itself, such as an alarm after the entry delay. */
  | { what: 'look' }
)

/** The zones of the household: those of `furnish`, and two that each simulated panel has. */
interface Zones {
  frontDoor: number
  smoke: number
  contacts: readonly number[]
}

const entryDelay = 20
const homeExitDelay = 30
const awayExitDelay = 60
const firstContact = 21
const contacts = 12

/** Enrolls more doors and windows, so that several can be open at a time; returns the zones. */
export function furnish(panel: Panel): Zones {
  const installation = new Installation(9_000_000, '2026-03-14T09:26:53')
  for (let nth = 1; nth <= contacts; nth += 1)
    installation.enroll('ZONE', 'CONTACT', { zone: 'PERIMETER', at: `Contact ${nth}` })
  for (const [nth, device] of installation.devices.entries())
    panel.addDevice({ ...device, device_number: firstContact + nth })
  const zoneOf = (type: string) =>
    panel.devices.find(({ zone_type }) => zone_type === type)?.device_number ?? Number.NaN
  return {
    frontDoor: zoneOf('DELAY_1'),
    smoke: zoneOf('FIRE'),
    contacts: Array.from({ length: contacts }, (_, nth) => firstContact + nth),
  }
}

/**
 * Returns the days of a household, in order: up in the morning and 8 openings, away with an exit delay of a minute,
 * back with an entry delay, 20 openings, to bed. Seven of ten openings are of doors, 15 seconds long in the median, the
 * others of windows, 20 minutes. A burglary comes through the front door or a window, and goes on through three zones.
 */
export function planDays(habits: HouseholdHabits, zones: Zones, random: Random): Act[] {
  const plan = new Plan(zones, random)
  let now = 600
  for (let day = 0; day < habits.days; day += 1) {
    plan.add({ at: now, what: 'disarm' })
    now = plan.liveAtHome(now, plan.hours(1.6, 0.4), 8)
    plan.leave(now)
    const away = plan.hours(habits.awayHours, 0.5)
    if (random.next() < habits.alarms) plan.breakIn(now + awayExitDelay, now + away)
    now = plan.comeBack(now + away)
    const evening = plan.hours(6, 0.5)
    if (random.next() < habits.alarms) plan.burnByDay(now + evening * random.next())
    now = plan.liveAtHome(now, evening, 20)
    plan.add({ at: now, what: 'arm', state: 'HOME', exitDelay: homeExitDelay })
    const night = plan.hours(habits.nightHours, 0.2)
    if (random.next() < habits.alarms) plan.burnAtNight(now + night * (0.2 + 0.5 * random.next()))
    now += night
  }
  return plan.acts.sort((one, other) => one.at - other.at)
}

class Plan {
  readonly acts: Act[] = []
  readonly #zones: Zones
  readonly #random: Random
  /** The time until which each zone is in use. */
  readonly #usedUntil = new Map<number, number>()

  constructor(zones: Zones, random: Random) {
    this.#zones = zones
    this.#random = random
  }

  add(...acts: Act[]): void {
    this.acts.push(...acts)
  }

  /** Returns a length in seconds, at least half of the usual one. */
  hours(usual: number, deviation: number): number {
    return 3600 * Math.max(usual / 2, usual + deviation * this.#normal())
  }

  /** Opens doors and windows; returns the time at which all are closed and somebody arms the panel. */
  liveAtHome(from: number, length: number, openings: number): number {
    const to = from + length
    const starts = Array.from({ length: openings }, () => from + 60 + this.#random.next() * (length - 420))
    for (const at of starts.sort((one, other) => one - other)) {
      const isDoor = this.#random.next() < 0.7
      const wanted = isDoor ? Math.max(3, this.#lognormal(15, 0.8)) : Math.max(60, this.#lognormal(1200, 1))
      const lasts = Math.min(wanted, to - 60 - at)
      const zone = this.#zones.contacts.find((one) => (this.#usedUntil.get(one) ?? 0) < at)
      if (zone !== undefined) this.#open(zone, at, lasts)
    }
    return to
  }

  leave(at: number): void {
    this.add({ at, what: 'arm', state: 'AWAY', exitDelay: awayExitDelay })
    this.#open(this.#zones.frontDoor, at + 20, 10)
  }

  /** Returns the time at which the panel is disarmed. */
  comeBack(at: number): number {
    const disarmAt = at + 5 + this.#random.next() * (entryDelay - 7)
    this.#open(this.#zones.frontDoor, at, 12)
    this.add({ at: disarmAt, what: 'disarm' })
    return disarmAt + 15
  }

  /** A burglary; the owner disarms minutes later, and arms again a minute after that. */
  breakIn(from: number, to: number): void {
    const { frontDoor, contacts } = this.#zones
    const at = from + 60 + this.#random.next() * (to - from - 3000)
    const end = at + 240 + this.#random.next() * 600
    const isByDoor = this.#random.next() < 0.5
    const [first, ...others] = [isByDoor ? frontDoor : contacts[0], ...contacts.slice(1, 4)]
    if (first === undefined) return
    const alarmAt = isByDoor ? at + entryDelay : at
    this.#open(first, at, end + 20 - at)
    // After the simulated panel's own timer.
    if (isByDoor) this.add({ at: alarmAt + 0.001, what: 'look' })
    for (const [nth, zone] of others.entries()) {
      const openedAt = alarmAt + 20 * (nth + 1) * (0.5 + this.#random.next())
      this.#open(zone, openedAt, end + 21 - openedAt)
    }
    this.add({ at: end, what: 'disarm' }, { at: end + 60, what: 'arm', state: 'AWAY', exitDelay: 60 })
  }

  /** A fire while the panel is disarmed, which ends by itself. */
  burnByDay(at: number): void {
    this.add({ at, what: 'open', zone: this.#zones.smoke, lasts: 0 })
    this.add({ at: at + 300 + 300 * this.#random.next(), what: 'close', zone: this.#zones.smoke })
  }

  /** A fire while the panel is armed; somebody disarms, and arms again when it is over. */
  burnAtNight(at: number): void {
    const end = at + 300 + 300 * this.#random.next()
    this.add({ at, what: 'open', zone: this.#zones.smoke, lasts: 0 }, { at: end, what: 'disarm' })
    this.add({ at: end + 60, what: 'close', zone: this.#zones.smoke })
    this.add({ at: end + 300, what: 'arm', state: 'HOME', exitDelay: homeExitDelay })
  }

  #open(zone: number, at: number, lasts: number): void {
    this.#usedUntil.set(zone, at + lasts + 1)
    this.add({ at, what: 'open', zone, lasts }, { at: at + lasts, what: 'close', zone })
  }

  #lognormal(median: number, sigma: number): number {
    return median * Math.exp(sigma * this.#normal())
  }

  #normal(): number {
    const [one, other] = [1 - this.#random.next(), this.#random.next()]
    return Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other)
  }
}
