import type { Clock } from '../clock.ts'
import { minute, second } from '../duration.ts'
import type { EventMessage } from '../messages/event-message.ts'
import type { PanelDevices } from '../panel/devices/readings.ts'
import type { StateView } from '../panel/state/partition-state.ts'
import { Entities, type PanelFacts } from './announced-entities.ts'
import type { AnnouncerMemory } from './announcer-memory.ts'
import { type AgeOf, eventPublications } from './events/event-publications.ts'
import { RememberedEvents } from './events/remembered-events.ts'
import { KnownObjects } from './known-objects.ts'
import { cleared, ManifestKeeper, topicsOf } from './manifest/manifest-keeper.ts'
import { type BrokerMessage, Publisher } from './publisher.ts'
import type { Setup } from './setup.ts'
import { availabilityTopic, birthTopic, bridgeTopic, manifestTopic, panelTopic } from './topics.ts'
import { UnreadPanel, unreadTopics } from './unread.ts'

/** The clock and the functions that an announcer needs; the functions must not throw. */
export interface AnnouncerTools {
  clock: Clock
  /** Returns a number from 0 up to 1. */
  random(): number
  send(messages: BrokerMessage[]): void
  /** Called once, when the broker is connected, or has been silent for a minute: events can be published. */
  ready(): void
}

/** Milliseconds for which the connection to the broker is awaited, so that the broker has sent what it keeps. */
const connectionWait = 3 * second

/** Milliseconds after which events are published to a broker that has sent nothing: a flow may not listen to it. */
const maxSilence = minute

/** Limits of the milliseconds before everything is announced: many bridges hear Home Assistant start at once. */
const announcementWait = { min: 0.5 * second, max: 2.5 * second }

/** Milliseconds between announcements and states, in which Home Assistant subscribes to the states. */
const subscriptionTime = second

/** Milliseconds in which Home Assistant lets go of entities that move: it does not take an id that it still has. */
const movingTime = second

/**
 * Announces a panel to Home Assistant and publishes its states: only what has changed, and everything when the broker or
 * Home Assistant is new.
 */
export class Announcer {
  readonly #setup: Setup
  readonly #memory: AnnouncerMemory
  readonly #tools: AnnouncerTools
  readonly #publisher: Publisher
  readonly #entities: Entities
  readonly #manifest: ManifestKeeper
  readonly #known: KnownObjects
  readonly #events: RememberedEvents
  readonly #unread: UnreadPanel
  #facts: PanelFacts | undefined
  #isReady = false
  #isToldReady = false
  #isBridgeOffline = false
  #cancelWait = () => {}
  #cancelSilence = () => {}
  #cancelAnnouncement: (() => void) | undefined
  #cancelMove: (() => void) | undefined

  constructor(setup: Setup, memory: AnnouncerMemory, tools: AnnouncerTools) {
    this.#setup = setup
    this.#memory = memory
    this.#tools = tools
    this.#publisher = new Publisher(memory.sent, tools.send)
    this.#entities = new Entities(setup)
    this.#manifest = new ManifestKeeper(setup, memory)
    this.#known = new KnownObjects(setup, this.#manifest)
    this.#events = new RememberedEvents(setup, memory, () => tools.clock.wall())
    this.#unread = new UnreadPanel(setup, memory, this.#publisher)
  }

  /** The number of entities and triggers that are announced. */
  get count(): number {
    const objects = this.#isReady ? Object.values(this.#manifest.objects) : []
    return objects.reduce((sum, entities) => sum + Object.keys(entities).length, 0)
  }

  /** Tells if a device is announced, listed or not. */
  isAnnounced(object: string): boolean {
    return Object.hasOwn(this.#manifest.objects, object)
  }

  /** Begins to wait for the broker; `stop` ends it. */
  start(): void {
    const { clock } = this.#tools
    this.#cancelWait = clock.after(connectionWait, () => this.#begin())
    this.#cancelSilence = clock.after(maxSilence, () => this.#tellReady())
  }

  stop(): void {
    this.#cancelWait()
    this.#cancelSilence()
    this.#cancelAnnouncement?.()
    this.#cancelMoving()
  }

  /**
   * Notes a message of the broker. Returns true if it is one about the connection, or the manifest.
   * @param isRetained true for a message that the broker has kept
   */
  note(topic: string, payload: string, isRetained: boolean): boolean {
    this.#memory.isBrokerHeard = true
    if (this.#isReady) this.#tellReady()
    // Published again with the next read if somebody else has told the contrary.
    if (topic === availabilityTopic(this.#setup) && payload !== '') this.#memory.sent.set(topic, payload)
    this.#publishUnread()
    if (topic === manifestTopic(this.#setup)) {
      // The own one comes back, an older one perhaps after the next one was sent.
      if (isRetained || this.#facts === undefined) this.#noteManifest(payload)
      return true
    }
    if (this.#events.note(topic, payload)) return true
    const isBridge = topic === bridgeTopic(this.#setup)
    if (!isBridge && topic !== birthTopic(this.#setup)) return false
    if (isBridge) this.#isBridgeOffline = payload === 'offline'
    if (payload !== 'online') {
      this.#memory.started.delete(topic)
      if (this.#isReady) this.#publishAgain()
    } else if (this.#isStart(topic, isRetained)) {
      if (isBridge) {
        this.#cancelMoving()
        this.#manifest.noteConnection(this.#isReady)
      }
      this.#announceAll()
    }
    return true
  }

  /** Notes the state, for the names of the partitions and the removal of those that are gone. */
  noteState({ partitions, hasAllPartitions = false }: StateView): void {
    this.#known.notePartitions(partitions, hasAllPartitions)
  }

  /** Notes the devices, for the removal of those that are gone. */
  noteDevices(devices: PanelDevices): void {
    this.#known.noteDevices(devices)
  }

  /** Publishes what is different from before. */
  update(facts: PanelFacts): void {
    this.#facts = facts
    this.#unread.noteRead()
    if (this.#isReady) this.#publish(facts)
  }

  /** Publishes nothing until the next update, and then everything: another instance publishes meanwhile. */
  rest(): void {
    this.#facts = undefined
    this.#unread.noteRead()
    this.#publisher.forget(() => true)
  }

  /**
   * Tells that nobody has read the panel, so that the states of an earlier process are not shown as current.
   * @param isForLong false if it has just begun: what was read before a deploy, or by another instance, is kept then
   */
  noteUnread(isForLong: boolean): void {
    this.#unread.noteUnread(isForLong)
    this.#publishUnread()
  }

  /** Tells that nobody reads the panel any more, because the node ends. */
  leave(): void {
    this.#facts = undefined
    this.#unread.leave()
  }

  /** Removes all that is announced from Home Assistant; the broker goes on to keep that the panel is offline. */
  remove(): void {
    const { manifest } = this.#memory
    const kept = unreadTopics(this.#setup)
    const topics = manifest === undefined ? [] : topicsOf(manifest, this.#setup)
    this.#publisher.replace(cleared(topics.filter((topic) => !kept.includes(topic))))
  }

  /** Publishes events, each on the topic of the event entity and as a trigger, and keeps the latest ones as states. */
  publishEvents(events: readonly EventMessage[], ageOf: AgeOf): void {
    this.#publisher.pass(events.flatMap((event) => eventPublications(this.#setup, event, ageOf)))
    this.#events.add(events)
    // Another instance may be the one that polls the panel.
    this.#publisher.keep(this.#events.publications)
  }

  /** Publishes the result of a command as an event. */
  publishResult(result: object): void {
    this.#publisher.pass([{ topic: panelTopic(this.#setup, 'command'), payload: JSON.stringify(result) }])
  }

  #noteManifest(payload: string): void {
    this.#cancelMoving()
    this.#manifest.noteManifest(payload)
    this.#known.noteManifest()
  }

  /**
   * Tells if `online` is that of a start. A deploy that restarts the node of the subscription brings the one that the broker
   * has kept. With MQTT 5, the subscription may mark every message as kept: then each one counts.
   */
  #isStart(topic: string, isRetained: boolean): boolean {
    const { started } = this.#memory
    if (isRetained) return !started.has(topic)
    started.add(topic)
    return true
  }

  #begin(): void {
    this.#cancelWait()
    if (this.#isReady) return
    this.#isReady = true
    this.#publishAgain()
    if (this.#memory.isBrokerHeard) this.#tellReady()
  }

  /** Tells that events can be published; the core node drops what it gets before it is connected. */
  #tellReady(): void {
    this.#cancelSilence()
    if (this.#isToldReady) return
    this.#isToldReady = true
    this.#tools.ready()
  }

  /** Announces everything after a random moment, and then publishes all states. */
  #announceAll(): void {
    if (this.#cancelAnnouncement !== undefined) return
    const { clock, random } = this.#tools
    const { min, max } = announcementWait
    const isAnnouncement = (topic: string) => topic.startsWith(`${this.#setup.prefix}/`)
    this.#cancelWait()
    this.#cancelAnnouncement = clock.after(min + random() * (max - min), () => {
      const states = new Set([...this.#memory.sent.keys()].filter((topic) => !isAnnouncement(topic)))
      this.#publisher.forget(isAnnouncement)
      this.#begin()
      this.#publishAgain()
      this.#cancelAnnouncement = clock.after(subscriptionTime, () => {
        this.#cancelAnnouncement = undefined
        this.#publisher.forget((topic) => states.has(topic))
        this.#publishAgain()
      })
    })
  }

  #publishAgain(): void {
    if (this.#facts !== undefined) this.#publish(this.#facts)
    this.#publishUnread()
  }

  /** Publishes that the panel is not read, at once if the broker is there: it may keep the contrary. */
  #publishUnread(): void {
    if (this.#isReady || this.#memory.isBrokerHeard) this.#unread.publish()
  }

  /** Publishes what has changed; `hasMoved` if Home Assistant was told a moment ago that entities move. */
  #publish(facts: PanelFacts, hasMoved = false): void {
    if (this.#cancelMove !== undefined) return
    const setup = this.#setup
    const { partitions } = this.#known
    const announced = this.#entities.announced(facts, partitions, this.#manifest.objects)
    const devices = announced.map((one) => one.announced)
    const kept = this.#known.unlisted(facts.devices)
    const states = this.#entities.states(facts, announced, Object.keys(kept).length === 0)
    for (const { topic, payload } of this.#events.publications) states.set(topic, payload)
    const topics = this.#known.topics([...states.keys()], Object.keys(kept))
    const ids = partitions.map(({ id }) => id)
    const content = { devices, topics, kept, partitions: ids }
    const { before, after, moves } = this.#manifest.change(content, hasMoved)
    // The will of another instance, or of a connection that is replaced: who hears it is connected.
    if (this.#isBridgeOffline) this.#publisher.replace([{ topic: bridgeTopic(setup), payload: 'online' }])
    this.#isBridgeOffline = false
    if (!hasMoved) this.#publisher.replace(before)
    if (moves && !hasMoved) {
      this.#publishMoved()
      return
    }
    this.#publisher.keep(announced.flatMap(({ publications }) => publications))
    this.#publisher.replace(after)
    this.#publisher.keep([...states].map(([topic, payload]) => ({ topic, payload })))
    this.#publisher.keep([{ topic: manifestTopic(setup), payload: this.#manifest.text }])
  }

  /** Lets the next publication tell again what moves: from another list, or to a broker that has not heard it. */
  #cancelMoving(): void {
    this.#cancelMove?.()
    this.#cancelMove = undefined
  }

  /** Publishes the rest when Home Assistant has let go of the entities that move. */
  #publishMoved(): void {
    this.#cancelMove = this.#tools.clock.after(movingTime, () => {
      this.#cancelMove = undefined
      if (this.#facts !== undefined) this.#publish(this.#facts, true)
    })
  }
}
