import { minute, second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import { sources } from '../blind-times.ts'
import type { Deed } from '../life.ts'
import type { InstanceSurroundings } from './check.ts'

/** The word before each text of a rehearsal that a person reads. */
export const rehearsalWord = /^Rehearsal/

/** The title of an incident that is closed because the rehearsal is over. */
const over = 'Rehearsal: The scene is over.'

/** Milliseconds after which a rehearsal has ended, and in which its end is seen. */
const longest = 10 * minute
const seen = 30 * second

/** Milliseconds after which notes are removed again that could not be. */
const retrying = 90 * second

/** Milliseconds from its begin in which a rehearsal still reads the real panel for the first time. */
const preparing = 10 * second

/** The nodes whose flows keep what they were told last. */
const lasting = ['state', 'readings', 'conditions']

/** The notes of rehearsals, and the folders of their simulated panels. */
const notes = /\/rehearsal-[^/]*$/
const folder = /\/keyholder-demo-[^/]*$/

/** A rehearsal that was started. */
interface Rehearsal {
  readonly deed: Extract<Deed, { what: 'rehearsal' }>
  readonly from: number
  /** The moment at which its end was seen; undefined before. */
  to: number | undefined
  /** The number of messages with its mark, without those that close its incidents at its end. */
  marked: number
  /** The number that the editor shows at its end; null if nobody knows. */
  sent: number | null
  isStopped: boolean
  isDeployed: boolean
}

/**
 * The rules for rehearsals:
 *
 * - **mark**: only messages of a rehearsal that runs have the mark, and those that close its incidents; the editor shows their number.
 *   One of it without the mark would tell the checks of the nodes what is not true of the real panel.
 * - **word**: each title and summary of it begins with its word.
 * - **end**: it ends after ten minutes, and with news of the real panel; the reason that is told is true.
 * - **begin**: none begins in an alarm.
 * - **truth**: after its end, each node that has sent a marked message tells how the real panel is; its incidents are closed.
 * - **nothing left**: no status and no file of it.
 */
export class RehearsalCheck {
  readonly #of: InstanceSurroundings
  #latest: Rehearsal | undefined
  /** The topics whose latest message has the mark, each after the name of its node. */
  readonly #marked = new Set<string>()
  /** The topics that were told of the real panel: that of a zone that only the copy has is told no more. */
  readonly #real = new Set<string>()
  /** The incidents of rehearsals that are open. */
  readonly #open = new Set<string>()
  /** The folders of rehearsals that were killed: the next process deletes them after a day. */
  readonly #killed = new Set<string>()
  readonly #statuses = new Map<string, string>()

  constructor(of: InstanceSurroundings) {
    this.#of = of
  }

  /** True while one runs. */
  get isRunning(): boolean {
    return this.#latest !== undefined && this.#latest.to === undefined
  }

  /** True while Home Assistant shows the one that runs. */
  get isInHomeAssistant(): boolean {
    return this.isRunning && this.#latest?.deed.homeAssistant === true
  }

  /** Notes that one is about to begin; returns false while another one runs, for which this one is refused. */
  begin(deed: Rehearsal['deed'], now: number): boolean {
    if (this.isRunning) return false
    const nothing = { to: undefined, marked: 0, sent: null, isStopped: false, isDeployed: false }
    this.#latest = { deed, from: now, ...nothing }
    return true
  }

  /** Notes that the one that was about to begin has not. */
  refuse(now: number): void {
    if (this.#latest !== undefined) this.#latest.to ??= now
  }

  /** Notes that somebody is about to stop the one that runs. */
  stop(): boolean {
    if (this.#latest !== undefined) this.#latest.isStopped = true
    return this.isRunning
  }

  /** Notes that the flows are about to be deployed or stopped. */
  deploy(): void {
    if (this.#latest !== undefined) this.#latest.isDeployed = true
  }

  /** Notes that Node-RED has ended. @param isPowerLost what was noted may be lost, and what flows keep is */
  end(now: number, isPowerLost: boolean): void {
    if (this.#latest !== undefined) this.#latest.to ??= now
    this.#statuses.clear()
    for (const path of this.#of.paths()) if (folder.test(path)) this.#killed.add(path)
    if (!isPowerLost) return
    this.#marked.clear()
    this.#open.clear()
  }

  /** Takes what the editor shows. */
  follow(shown: Readonly<Record<string, unknown>>, now: number): void {
    const { state, ended, sent } = shown
    if (this.#latest === undefined || !this.isRunning) return
    if (state === 'running') this.#checkBegin(this.#latest, now)
    if (state !== 'failed' && typeof ended !== 'string') return
    this.#latest.to = now
    if (typeof ended !== 'string') return
    // Node-RED drops what nodes send that stop.
    if (ended !== 'deploy') this.#latest.sent = Number(sent)
    if (!this.#isReason(ended, this.#latest, now))
      this.#report(
        'end',
        `that of ${this.#latest.deed.scene} is told to have ended with "${ended}", and has not`,
      )
  }

  /** Takes a message of a node. */
  hear(node: string, { topic, payload, rehearsal }: FlowMessage): void {
    // Before the name of the panel is known, its serial is in the topic.
    const kept = lasting.includes(node) ? `${node}${topic.replace(/^[^/]+/, '')}` : undefined
    if (rehearsal !== true) {
      if (kept !== undefined) {
        this.#marked.delete(kept)
        this.#real.add(kept)
      }
      return
    }
    if (kept !== undefined) this.#marked.add(kept)
    const isIncident = node === 'incident'
    const isClosing = isIncident && payload.title === over
    if (!isClosing && this.#latest !== undefined) this.#latest.marked += 1
    if (!isClosing && this.#latest === undefined) this.#report('mark', `${node} tells ${topic} with the mark`)
    if (!isIncident) return
    if (payload.status === 'closed') this.#open.delete(payload.id)
    else this.#open.add(payload.id)
    for (const text of [payload.title, payload.summary])
      if (text !== '' && !rehearsalWord.test(text)) this.#report('word', `an incident is told as "${text}"`)
  }

  /** Takes a status of a node. */
  show(node: string, text: string): void {
    this.#statuses.set(node, text)
  }

  /** Compares what was told with the world. */
  compare(now: number): void {
    if (this.#latest === undefined) return
    const { from, to, sent, marked, isDeployed } = this.#latest
    if (to === undefined) this.#checkLength(from, now)
    if (to === undefined || now - to < seen) return
    if (sent !== null && sent !== marked)
      this.#report('mark', `${sent} messages are told to be marked, and ${marked} are`)
    for (const [node, text] of this.#statuses)
      if (rehearsalWord.test(text)) this.#report('nothing left', `${node} shows "${text}" after the end`)
    const { blind } = this.#of
    if (sources.some((source) => blind.earliest(source, now, 2) <= to || blind.isWrong(source, now, now)))
      return
    for (const topic of this.#marked)
      if (this.#real.has(topic) || topic.startsWith('conditions'))
        this.#report('truth', `${topic} was told with the mark, and the end has told nothing else`)
    for (const id of this.#open) this.#report('truth', `incident ${id} is not closed`)
    const { refusedRemoval, paths } = this.#of
    for (const path of paths())
      if (
        (notes.test(path) && !refusedRemoval(now - retrying)) ||
        (folder.test(path) && !isDeployed && !this.#killed.has(path) && !refusedRemoval(from))
      )
        this.#report('nothing left', `there is ${path}`)
  }

  #checkBegin({ from }: Rehearsal, now: number): void {
    const { blind, world } = this.#of
    const earliest = blind.earliest('alarms', from, 2)
    if (
      !blind.isWrong('alarms', earliest, now) &&
      world.facts.stayed('panel triggered', 'true', earliest, now)
    )
      this.#report('begin', 'one runs in an alarm')
  }

  #checkLength(from: number, now: number): void {
    const { blind, world } = this.#of
    if (now - from > longest + seen && !blind.isBlind('state', from, now))
      this.#report('end', `one lasts for ${Math.round((now - from) / second)} s`)
    const known = blind.earliest('events', now, 1)
    const news = world.events.find(({ at }) => at > from + preparing && at < known)
    if (news !== undefined && !blind.isWrong('events', from, now))
      this.#report('end', `one goes on after event ${news.event.event} (${news.event.description})`)
  }

  #isReason(ended: string, { from, isStopped, isDeployed }: Rehearsal, now: number): boolean {
    const { blind, world, wasCommanded } = this.#of
    if (sources.some((source) => blind.isWrong(source, from, now))) return true
    switch (ended) {
      case 'scene':
        return now - from >= preparing
      case 'stopped':
        return isStopped
      case 'deploy':
        return isDeployed
      case 'time':
        return now - from >= longest
      case 'command':
        return wasCommanded(from)
      case 'state': {
        const earliest = blind.earliest('state', from, 2)
        const hasChanged = ({ plan }: { plan: { id: number } }) =>
          new Set(world.facts.values(`partition ${plan.id} value`, earliest, now)).size > 1
        return world.panel.partitions.some(hasChanged)
      }
      case 'event': {
        const earliest = blind.earliest('events', from, 2)
        const isAlarm = world.alarms.some(({ to }) => to === null || to > blind.earliest('alarms', from, 2))
        return isAlarm || world.events.some(({ at }) => at > earliest)
      }
      default:
        return ended === 'failed'
    }
  }

  #report(rule: string, sentence: string): void {
    this.#of.report(`rehearsal ${rule}`, `rehearsal, ${rule}: ${sentence}`)
  }
}
