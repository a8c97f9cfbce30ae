import { minute } from '../../../src/duration.ts'
import type { NodeStatus } from '../../flow/running-flow.ts'
import type { Source } from '../blind-times.ts'
import type { Surroundings } from './check.ts'
import { rehearsalWord } from './rehearsal-check.ts'

/** The sources that each node shows in its status; that of a query tells its last answer alone. */
const sources: Readonly<Record<string, readonly Source[]>> = {
  state: ['state', 'alarms', 'events'],
  readings: ['state', 'alarms', 'events'],
  events: ['state', 'alarms', 'events'],
  incident: ['state', 'alarms', 'events'],
  conditions: ['state', 'alarms', 'events', 'devices'],
  home: ['state', 'alarms', 'events'],
}

/**
 * Milliseconds from the first dot of a node after a start to the first list of alarms, before which that of the devices can come;
 * and from a start to the first list of events without one: a sign-in waits for a minute if the one before could not be noted.
 */
const maxFirstList = { alarms: minute / 2, events: 2 * minute }

/** Words for a threat, which no status, title or summary may have. */
export const threat = /duress|threat/i

/**
 * A dot is red only if an alarm lasted two polls ago, and green only if none has lasted for two polls. The words below a node
 * are true too, and none tells of a threat.
 */
export class StatusesCheck {
  readonly #of: Surroundings
  readonly #shown = new Map<string, NodeStatus>()
  /** The moment at which each node has told something with a dot first since it started. */
  readonly #toldAt = new Map<string, number>()
  #startedAt = Number.NEGATIVE_INFINITY

  constructor(of: Surroundings) {
    this.#of = of
  }

  /** Notes that the nodes start anew: of an alarm that only events tell they know after the first list of them. */
  start(now: number): void {
    this.#startedAt = now
    this.#toldAt.clear()
  }

  /** Takes a status of a node. */
  show(node: string, status: NodeStatus): void {
    if (rehearsalWord.test(status.text)) this.#shown.delete(node)
    else if (node in sources) this.#shown.set(node, status)
    if (threat.test(status.text)) this.#of.report(`threat ${node}`, `status of ${node}: "${status.text}"`)
  }

  /** Forgets the status of a node that does not run. */
  forget(node: string): void {
    this.#shown.delete(node)
  }

  compare(now: number): void {
    const { blind, house, report, world } = this.#of
    for (const [node, { fill, shape, text }] of this.#shown) {
      const earliest = Math.min(...(sources[node] ?? []).map((source) => blind.earliest(source, now, 2)))
      if (shape === 'dot' && fill !== 'blue' && !this.#toldAt.has(node)) this.#toldAt.set(node, now)
      const toldAt = Math.max(this.#startedAt, this.#toldAt.get(node) ?? now)
      if (shape !== 'dot' || (sources[node] ?? []).some((source) => blind.isWrong(source, now, now))) continue
      const isLasting = world.alarms.some(
        (alarm) =>
          !world.isOver(alarm, now) &&
          alarm.from < earliest &&
          (world.arrivalOf(alarm) ?? now) < earliest &&
          (house.hasAlarmList && alarm.list === 'alarms'
            ? now - toldAt > maxFirstList.alarms
            : now - this.#startedAt > maxFirstList.events),
      )
      const wasLasting = world.alarms.some(({ from, to }) => from <= now && (to === null || to >= earliest))
      if (fill === 'green' && isLasting)
        report(`green ${node}`, `status of ${node}: green dot, "${text}" during an alarm`)
      // After a start, only the second list of alarms tells that an alarm is over.
      const isCertain = !blind.isBlind('state', earliest, now)
      if (fill === 'red' && !wasLasting && isCertain)
        report(`red ${node}`, `status of ${node}: red dot, "${text}" without an alarm`)
    }
    this.#checkWords(now)
  }

  /** Checks the words for "fine" below the nodes that have one. */
  #checkWords(now: number): void {
    const { blind, report, world } = this.#of
    if (blind.isWrong('state', now, now)) return
    const state = this.#shown.get('state')
    const earliest = blind.earliest('state', now, 2)
    const isFalse = (fact: string, ...values: string[]) =>
      world.facts.values(fact, earliest, now).every((value) => !values.includes(value))
    if (state?.shape === 'dot' && /^disarmed/.test(state.text) && isFalse('partition 1 value', 'DISARM'))
      report('words state', `status of state: "${state.text}", and House is not disarmed`)
    if (
      state?.shape === 'dot' &&
      /ready$/.test(state.text) &&
      !/not ready/.test(state.text) &&
      isFalse('partition 1 ready', 'true')
    )
      report('ready state', `status of state: "${state.text}", and House is not ready`)
  }
}
