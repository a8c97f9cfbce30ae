import type { Clock } from '../clock.ts'
import { second } from '../duration.ts'
import type { EventMessage } from '../messages/event-message.ts'
import type { StateView } from '../panel/state/partition-state.ts'
import { Absences } from './absences.ts'
import type { Publication } from './discovery.ts'
import { Entities, ownDevices, type PanelFacts } from './entities/entities.ts'
import { eventState, triggersOf, whoSet } from './entities/event-types.ts'
import { partitionObject } from './entities/panel-entities.ts'
import { KnownPartitions } from './known-partitions.ts'
import { exampleManifest, type Manifest, manifestOf, parseManifest, replacement } from './manifest.ts'
import type { Setup } from './setup.ts'
import {
  availabilityTopic,
  birthTopic,
  bridgeTopic,
  deviceObject,
  manifestTopic,
  panelTopic,
  stateTopic,
} from './topics.ts'

/** A message to the broker. */
export interface BrokerMessage extends Publication {
  qos: 1
  retain: boolean
}

/** What an announcer has published. It survives a redeploy, so that nothing unchanged is published again. */
export interface AnnouncerMemory {
  /** The latest payload of each topic that the broker keeps. */
  readonly sent: Map<string, string>
  /** The states that come from events. */
  readonly remembered: Map<string, string>
  manifest: Manifest | undefined
}

/** Returns the memory of an announcer that has published nothing. */
export function emptyMemory(): AnnouncerMemory {
  return { sent: new Map(), remembered: new Map(), manifest: undefined }
}

/** What an announcer needs besides its setup; `send` must not throw. */
export interface AnnouncerTools {
  clock: Clock
  /** Returns a number from 0 up to 1. */
  random(): number
  send(messages: BrokerMessage[]): void
  /** Called once the broker can be expected to be connected. */
  ready(): void
}

/** Milliseconds for which the connection to the broker is awaited, so that the broker has sent what it keeps. */
const connectionWait = 3 * second

/** Limits of the milliseconds before everything is announced: many bridges hear Home Assistant start at once. */
const announcementWait = { min: 0.5 * second, max: 2.5 * second }

/** Milliseconds between announcements and states, in which Home Assistant subscribes to the states. */
const subscriptionTime = second

/**
 * Announces a panel to Home Assistant and publishes its states: only what has changed, and everything when the broker or
 * Home Assistant is new.
 */
export class Announcer {
  readonly #setup: Setup
  readonly #memory: AnnouncerMemory
  readonly #tools: AnnouncerTools
  readonly #entities: Entities
  readonly #absences = new Absences()
  readonly #partitions = new KnownPartitions()
  #facts: PanelFacts | undefined
  #isReady = false
  #gone: ReadonlySet<string> = new Set()
  #cancelWait = () => {}
  #cancelAnnouncement: (() => void) | undefined

  constructor(setup: Setup, memory: AnnouncerMemory, tools: AnnouncerTools) {
    this.#setup = setup
    this.#memory = memory
    this.#tools = tools
    this.#entities = new Entities(setup)
  }

  /** The number of entities and triggers that are announced. */
  get count(): number {
    const { manifest } = this.#memory
    const objects = this.#isReady ? Object.values(manifest?.objects ?? {}) : []
    return objects.reduce((sum, entities) => sum + Object.keys(entities).length, 0)
  }

  /** Begins to wait for the broker; `stop` ends it. */
  start(): void {
    this.#cancelWait = this.#tools.clock.after(connectionWait, () => this.#begin())
  }

  stop(): void {
    this.#cancelWait()
    this.#cancelAnnouncement?.()
  }

  /** Notes a message of the broker. Returns true if it is for this panel and no command. */
  note(topic: string, payload: string): boolean {
    const isStart = [bridgeTopic(this.#setup), birthTopic(this.#setup)].includes(topic)
    if (isStart && payload === 'online') this.#announceAll()
    // Only the first one: later ones are our own.
    if (topic === manifestTopic(this.#setup)) this.#memory.manifest ??= parseManifest(payload)
    return isStart || topic === manifestTopic(this.#setup)
  }

  /**
   * Notes the state, for the names of the partitions and the removal of those that are gone.
   * @param at arrival of the answer, in milliseconds of the monotonic clock
   * @param validFor milliseconds of three polls
   */
  noteState({ partitions }: StateView, at: number, validFor: number): void {
    this.#partitions.note(partitions, at, validFor / 2)
  }

  /**
   * Notes a list of devices, for the removal of those that are gone.
   * @param at arrival of the list, in milliseconds of the monotonic clock
   * @param validFor milliseconds of three polls
   */
  noteDevices(devices: PanelFacts['devices'] & object, at: number, validFor: number): void {
    // An empty list is no news: a panel that has been read has at least itself.
    if (devices.length === 0) return
    const listed = new Set(ownDevices(devices).map(({ id }) => deviceObject(id)))
    const known = Object.keys(this.#memory.manifest?.objects ?? {}).filter((object) => /^d\d+$/.test(object))
    this.#gone = this.#absences.note(known, listed, at, validFor / 2)
  }

  /** Publishes what is different from before. */
  update(facts: PanelFacts): void {
    this.#facts = facts
    if (this.#isReady) this.#publish()
  }

  /** Tells that the panel cannot be reached, while nothing is known about it. */
  publishUnreachable(): void {
    if (this.#isReady)
      this.#send(this.#changed([{ topic: availabilityTopic(this.#setup), payload: 'offline' }]), true)
  }

  /** Publishes events, each on the topic of the event entity and as a trigger, and keeps the latest ones as states. */
  publishEvents(events: readonly EventMessage[]): void {
    const setup = this.#setup
    const passing = events.flatMap((event) => [
      { topic: panelTopic(setup, 'event'), payload: JSON.stringify(eventState(event)) },
      ...triggersOf(event.payload).map((payload) => ({ topic: panelTopic(setup, 'trigger'), payload })),
    ])
    for (const event of events) this.#remember(event)
    this.#send(passing, false)
    if (this.#facts !== undefined) this.update(this.#facts)
  }

  /** Publishes the result of a command as an event. */
  publishResult(result: Readonly<Record<string, unknown>>): void {
    this.#send([{ topic: panelTopic(this.#setup, 'command'), payload: JSON.stringify(result) }], false)
  }

  #remember(event: EventMessage): void {
    const { description, label, time } = event.payload
    const { remembered } = this.#memory
    const { event_type, ...attributes } = eventState(event)
    const last = {
      value: (description || label).slice(0, 255),
      attributes: { type: event_type, ...attributes },
    }
    remembered.set('last_event', JSON.stringify(last))
    const who = whoSet(event)
    if (who !== undefined)
      remembered.set(who.key, JSON.stringify({ value: who.name.slice(0, 255), attributes: { time } }))
  }

  #begin(): void {
    this.#cancelWait()
    if (this.#isReady) return
    this.#isReady = true
    this.#publish()
    this.#tools.ready()
  }

  /** Announces everything after a random moment, and then publishes all states. */
  #announceAll(): void {
    if (this.#cancelAnnouncement !== undefined) return
    const { clock, random } = this.#tools
    const { min, max } = announcementWait
    this.#cancelAnnouncement = clock.after(min + random() * (max - min), () => {
      this.#forget((topic) => topic.startsWith(`${this.#setup.prefix}/`))
      this.#begin()
      this.#publish()
      this.#cancelAnnouncement = clock.after(subscriptionTime, () => {
        this.#cancelAnnouncement = undefined
        this.#forget((topic) => !topic.startsWith(`${this.#setup.prefix}/`))
        this.#publish()
      })
    })
  }

  #forget(isMeant: (topic: string) => boolean): void {
    for (const topic of [...this.#memory.sent.keys()]) if (isMeant(topic)) this.#memory.sent.delete(topic)
  }

  #publish(): void {
    const facts = this.#facts
    if (facts === undefined) return
    const setup = this.#setup
    const known = this.#memory.manifest?.objects ?? {}
    const partitions = this.#partitions.all
    const announced = this.#entities.announced(facts, partitions, known)
    const devices = announced.map((one) => one.announced)
    const states = this.#entities.states(facts, announced)
    for (const [object, payload] of this.#memory.remembered) {
      if (setup.groups.has('events')) states.set(stateTopic(setup, object), payload)
    }
    const there = new Set(devices.map(({ object }) => object))
    const isKept = (object: string) => !there.has(object) && this.#isMissing(object)
    const kept = Object.fromEntries(Object.entries(known).filter(([object]) => isKept(object)))
    const now = manifestOf(setup, devices, this.#keptTopics(states, kept), kept)
    const published = announced.flatMap(({ publications }) => publications)
    const manifest = { topic: manifestTopic(setup), payload: JSON.stringify(now) }
    const old =
      this.#memory.manifest ??
      exampleManifest(
        setup,
        partitions.map(({ id }) => id),
      )
    const isNew = JSON.stringify(this.#memory.manifest) !== manifest.payload
    const { before, after } = isNew ? replacement(old, now, setup, devices) : { before: [], after: [] }
    this.#memory.manifest = now
    this.#send(before, true)
    this.#send(this.#changed(published), true)
    this.#send(after, true)
    for (const { topic } of after) this.#memory.sent.delete(topic)
    const list = [...states].map(([topic, payload]) => ({ topic, payload }))
    this.#send(this.#changed([...list, manifest]), true)
  }

  /** Tells if a device that is not listed may come back. */
  #isMissing(object: string): boolean {
    return /^d\d+$/.test(object) && !this.#gone.has(object)
  }

  /** Returns the topics of all states that the broker keeps, also of those that this process has not published. */
  #keptTopics(states: ReadonlyMap<string, string>, kept: Manifest['objects']): string[] {
    const setup = this.#setup
    const fromEvents = ['last_event', 'armed_by', 'disarmed_by'].map((key) => stateTopic(setup, key))
    const others = Object.keys(kept).map((object) => stateTopic(setup, object))
    const shown = setup.groups.has('alarm_panel') ? this.#partitions.all : []
    const ofPartitions = shown.map(({ id }) => stateTopic(setup, partitionObject(id)))
    const all = [
      ...states.keys(),
      ...ofPartitions,
      ...(setup.groups.has('events') ? fromEvents : []),
      ...others,
    ]
    return [...new Set([...all, availabilityTopic(setup)])].toSorted()
  }

  #changed(publications: readonly Publication[]): Publication[] {
    const { sent } = this.#memory
    const changed = publications.filter(({ topic, payload }) => sent.get(topic) !== payload)
    for (const { topic, payload } of changed) sent.set(topic, payload)
    return changed
  }

  #send(publications: readonly Publication[], retain: boolean): void {
    if (publications.length === 0) return
    this.#tools.send(publications.map((publication) => ({ ...publication, qos: 1, retain })))
  }
}
