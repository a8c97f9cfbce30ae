import { CursorFile } from '../../src/panel/events/cursor/cursor-file.ts'
import {
  type CursorState,
  contentOf,
  intentText,
  stateText,
} from '../../src/panel/events/cursor/cursor-format.ts'
import type { LoadedCursor } from '../../src/panel/events/cursor/cursor-store.ts'

/** A cursor on a disk, of a process that is killed at one of its steps. */
export class KilledCursor extends CursorFile {
  text: string
  /** Called at each step; returns true if the process is killed there. */
  isKilledAt: (step: 'before' | 'after') => boolean = () => false
  isDead = false

  constructor(text: string) {
    super('')
    this.text = text
  }

  override async load(): Promise<LoadedCursor> {
    const content = contentOf(this.text)
    return { state: content?.state ?? null, intended: content?.intended ?? new Set(), doubtful: false }
  }

  override async intend(keys: readonly string[]): Promise<void> {
    await this.#write(() => (this.text === '' ? stateText(null) : this.text) + intentText(keys))
  }

  override async save(state: CursorState, open?: readonly string[]): Promise<void> {
    await this.#write(() => stateText(state, open))
  }

  async #write(text: () => string): Promise<void> {
    await this.#mayDie('before')
    this.text = text()
    await this.#mayDie('after')
  }

  async #mayDie(step: 'before' | 'after'): Promise<void> {
    this.isDead ||= this.isKilledAt(step)
    if (this.isDead) await new Promise(() => {})
  }
}
