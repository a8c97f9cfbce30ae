import type { Panel } from '../../world/panel.ts'

/**
 * The initial codes, by user; the first begins with a zero, because codes are text, not numbers (field fact).
 */
const initialCodes = [
  [1, '0451'],
  [2, '1728'],
] as const

/** The codes of all users by panel; users are numbered from 1, the master user first. */
export class UserCodes {
  readonly #codes: ReadonlyMap<Panel, Map<number, string>>

  constructor(panels: readonly Panel[]) {
    this.#codes = new Map(panels.map((panel) => [panel, new Map<number, string>(initialCodes)]))
  }

  /** Returns the code of a user at the first panel; empty if the user has no code. */
  get(user: number): string {
    const [codes] = this.#codes.values()
    return codes?.get(user) ?? ''
  }

  /** Returns the user with this code, or undefined. */
  findUser(panel: Panel, code: string): number | undefined {
    const entries = [...(this.#codes.get(panel) ?? [])]
    return entries.find(([, known]) => known === code)?.[0]
  }

  /** Changes the code of a user at one panel. */
  set(panel: Panel, user: number, code: string): void {
    this.#codes.get(panel)?.set(user, code)
  }
}
