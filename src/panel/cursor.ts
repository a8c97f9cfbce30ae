import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FeedMemory } from './feed.ts'

/** What is kept of a panel's events over restarts. */
export interface CursorState {
  serial: string
  memory: FeedMemory
  /** Position of each listening node: the highest sequence given to it. */
  positions: Record<string, number>
}

/** Placeholder until the durable one lands. */
export class Cursor {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async load(): Promise<{
    state: CursorState | null
    intended: ReadonlySet<string>
    warning?: string
    restored: boolean
  }> {
    try {
      const [first = '', second = '[]'] = (await readFile(this.#path, 'utf8')).split('\n')
      return { state: JSON.parse(first), intended: new Set(JSON.parse(second || '[]')), restored: false }
    } catch {
      return { state: null, intended: new Set(), restored: false }
    }
  }

  async intend(keys: readonly string[]): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    await appendFile(this.#path, `${JSON.stringify(keys)}\n`)
  }

  async save(state: CursorState): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(`${this.#path}.new`, `${JSON.stringify(state)}\n`, { flush: true })
    await rename(`${this.#path}.new`, this.#path)
  }
}
