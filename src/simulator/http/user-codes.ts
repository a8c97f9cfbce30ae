import type { Panel } from '../world/panel.ts'

/** The codes at first, by user; the first begins with a zero, since codes are text and no numbers (field fact). */
const first = [
  [1, '0451'],
  [2, '1728'],
] as const

/** Which person has which code, panel by panel; people are numbered from 1, the master user first. */
export class UserCodes {
  readonly #codes: ReadonlyMap<Panel, Map<number, string>>

  constructor(panels: readonly Panel[]) {
    this.#codes = new Map(panels.map((panel) => [panel, new Map<number, string>(first)]))
  }

  /** The code of a person at the first panel; empty when there is none. */
  of(user: number): string {
    const [codes] = this.#codes.values()
    return codes?.get(user) ?? ''
  }

  /** The person with this code; undefined when it is nobody's. */
  owner(panel: Panel, code: string): number | undefined {
    const entries = [...(this.#codes.get(panel) ?? [])]
    return entries.find(([, known]) => known === code)?.[0]
  }

  /** Gives a person another code at one panel. */
  set(panel: Panel, user: number, code: string): void {
    this.#codes.get(panel)?.set(user, code)
  }

  /** Takes a person's code away at one panel. */
  remove(panel: Panel, user: number): void {
    this.#codes.get(panel)?.delete(user)
  }
}
