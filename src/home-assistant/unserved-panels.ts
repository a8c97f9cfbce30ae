import { KeyholderError } from '../service/error.ts'
import { isServed } from './bridge-places.ts'
import type { Publication } from './discovery.ts'
import { keeperIn, parseManifest } from './manifest/manifest.ts'
import { cleared, topicsOf } from './manifest/manifest-keeper.ts'
import { availabilityTopic, manifestTopic, stateTopic, topicPart } from './topics.ts'
import { unreadPublications, unreadTopics } from './unread.ts'

/** The number of panels that are remembered: whoever can write to the broker can invent them. */
const maxPanels = 10_000

/** The looks in a row that find a panel without a node before it is told; a deploy leaves it without one for a moment. */
const minLooks = 2

/** The number of panels without a node whose announcements are remembered, in order to remove them. */
const maxLeft = 200

/**
 * The announcements of panels that no node serves, as text, by base topic and serial. All nodes of a process share them, because
 * each of them hears those of all panels.
 */
const left = new Map<string, string>()

/** Keeps the announcements of a panel that its node leaves, in order to remove them when the user wants it. */
export function noteLeft(base: string, serial: string, announced: string): void {
  const place = `${base} ${topicPart(serial)}`
  left.delete(place)
  if (announced === '') return
  left.set(place, announced)
  for (const first of left.keys()) if (left.size > maxLeft) left.delete(first)
}

/** A panel as the messages below the base topic tell it. */
interface HeardPanel {
  /** The one that has announced it; an empty text if nobody said so. */
  keeper: string
  isOnline: boolean
  hasDiagnostics: boolean
  /** Looks in a row that found no node of this process for it. */
  looks: number
  /** True once the broker has told it to be offline: who makes it online again serves it, and is not contradicted. */
  isTold: boolean
}

/**
 * Knows the panels that the broker keeps below a base topic, and finds those that are online although nobody serves them:
 * of a node that was deleted while Node-RED was off, that cannot open its panel, or that has another panel now.
 */
export class UnservedPanels {
  readonly #base: string
  readonly #isOwn: (keeper: string) => boolean
  /** By the serial as it is in topics. */
  readonly #panels = new Map<string, HeardPanel>()

  /** @param isOwn tells if what a keeper has announced belongs to this Node-RED: another one may serve its own panels */
  constructor(base: string, isOwn: (keeper: string) => boolean) {
    this.#base = base
    this.#isOwn = isOwn
  }

  /** Notes a message of the broker, kept or new. */
  note(topic: string, payload: string): void {
    const below = `${this.#base}/`
    if (!topic.startsWith(below)) return
    const [, serial, path] = /^([\w-]+)\/(.+)$/.exec(topic.slice(below.length)) ?? []
    if (serial === undefined) return
    if (path === 'announced') {
      this.#of(serial).keeper = keeperIn(payload)
      noteLeft(this.#base, serial, payload)
    }
    if (path === 'diagnostics/state') this.#of(serial).hasDiagnostics = payload !== ''
    if (path !== 'availability') return
    const panel = this.#of(serial)
    panel.isOnline = payload === 'online'
    if (payload === 'offline') panel.isTold = true
    else if (isServed({ base: this.#base, serial })) panel.isTold = false
  }

  /**
   * Notes what a node of this process has published last for a panel. A deploy that replaces the node loses the messages with
   * which the broker answers.
   * @param sent the latest payload of each topic
   */
  notePublished(serial: string, sent: ReadonlyMap<string, string>): void {
    const place = { base: this.#base, serial: topicPart(serial) }
    const availability = availabilityTopic(place)
    for (const topic of [manifestTopic(place), stateTopic(place, 'diagnostics'), availability]) {
      const payload = sent.get(topic)
      if (payload !== undefined) this.note(topic, payload)
    }
    if (sent.get(availability) === 'online') this.#of(place.serial).isTold = false
  }

  /** Looks for panels without a node, at equal intervals; returns what makes them unavailable. */
  look(): Publication[] {
    return [...this.#panels].flatMap(([serial, panel]) => {
      const place = { base: this.#base, serial }
      if (isServed(place)) {
        panel.looks = 0
        panel.isTold = false
        left.delete(`${this.#base} ${serial}`)
        return []
      }
      panel.looks += 1
      if (panel.looks < minLooks || !panel.isOnline || panel.isTold || !this.#isOwn(panel.keeper)) return []
      return unreadPublications(place, panel.hasDiagnostics)
    })
  }

  /**
   * Returns what removes a panel from Home Assistant and from the broker.
   * @throws KeyholderError BAD_SETTING if a node serves it, NOT_FOUND if nothing is known to be announced
   */
  removal(serial: string): Publication[] {
    const place = { base: this.#base, serial: topicPart(serial) }
    if (isServed(place))
      throw new KeyholderError(
        'BAD_SETTING',
        'payload: a Home Assistant node shows this panel. Delete that node instead; it then removes the panel itself.',
      )
    const manifest = parseManifest(left.get(`${place.base} ${place.serial}`) ?? '', place)
    if (manifest === undefined)
      throw new KeyholderError(
        'NOT_FOUND',
        `payload: no panel without a node and with this serial number is announced below ${this.#base}. Connect an mqtt in node with the topic ${this.#base}/#, deploy, and send the message again.`,
      )
    return cleared([...new Set([...topicsOf(manifest, place), ...unreadTopics(place)])])
  }

  #of(serial: string): HeardPanel {
    const known = this.#panels.get(serial)
    if (known !== undefined) return known
    const panel = { keeper: '', isOnline: false, hasDiagnostics: false, looks: 0, isTold: false }
    if (this.#panels.size < maxPanels) this.#panels.set(serial, panel)
    return panel
  }
}
