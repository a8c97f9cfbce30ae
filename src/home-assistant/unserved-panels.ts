import { isServed } from './bridge-places.ts'
import type { Publication } from './discovery.ts'
import { keeperIn } from './manifest/manifest.ts'
import { unreadPublications } from './unread.ts'

/** The number of panels that are remembered: whoever can write to the broker can invent them. */
const maxPanels = 10_000

/** The looks in a row that find a panel without a node before it is told; a deploy leaves it without one for a moment. */
const minLooks = 2

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
    if (path === 'announced') this.#of(serial).keeper = keeperIn(payload)
    if (path === 'diagnostics/state') this.#of(serial).hasDiagnostics = payload !== ''
    if (path !== 'availability') return
    const panel = this.#of(serial)
    panel.isOnline = payload === 'online'
    if (payload === 'offline') panel.isTold = true
    else if (isServed({ base: this.#base, serial })) panel.isTold = false
  }

  /** Looks for panels without a node, at equal intervals; returns what makes them unavailable. */
  look(): Publication[] {
    return [...this.#panels].flatMap(([serial, panel]) => {
      const place = { base: this.#base, serial }
      if (isServed(place)) {
        panel.looks = 0
        panel.isTold = false
        return []
      }
      panel.looks += 1
      if (panel.looks < minLooks || !panel.isOnline || panel.isTold || !this.#isOwn(panel.keeper)) return []
      return unreadPublications(place, panel.hasDiagnostics)
    })
  }

  #of(serial: string): HeardPanel {
    const known = this.#panels.get(serial)
    if (known !== undefined) return known
    const panel = { keeper: '', isOnline: false, hasDiagnostics: false, looks: 0, isTold: false }
    if (this.#panels.size < maxPanels) this.#panels.set(serial, panel)
    return panel
  }
}
