import { CursorFile } from '../../../src/panel/events/cursor/cursor-file.ts'
import {
  type CursorState,
  contentOf,
  intentText,
  stateText,
} from '../../../src/panel/events/cursor/cursor-format.ts'
import type { LoadedCursor } from '../../../src/panel/events/cursor/cursor-store.ts'

/** A cursor on a disk that instances share, of a process that is killed at one of its steps. */
export class KilledCursor extends CursorFile {
  override readonly isShared = true
  text: string
  /** Called before and after each write; returns true if the process is killed there. */
  isKilledAt: (step: 'before' | 'after', write: 'intend' | 'save') => boolean = () => false
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
    await this.#write('intend', () => (this.text === '' ? stateText(null) : this.text) + intentText(keys))
  }

  override async save(state: CursorState, open?: readonly string[]): Promise<void> {
    await this.#write('save', () => stateText(state, open))
  }

  async #write(write: 'intend' | 'save', text: () => string): Promise<void> {
    await this.#mayDie('before', write)
    this.text = text()
    await this.#mayDie('after', write)
  }

  async #mayDie(step: 'before' | 'after', write: 'intend' | 'save'): Promise<void> {
    this.isDead ||= this.isKilledAt(step, write)
    if (this.isDead) await new Promise(() => {})
  }
}
