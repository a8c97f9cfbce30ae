import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** The writes of this process to files. */
export interface DiskFigures {
  writes: number
  bytes: number
  /** Writes that wait for the disk: of a file or a folder. */
  syncs: number
  /** The stretches of 5 seconds with a write: a journaling file system commits as often, whatever their number. */
  commits: number
}

const commitInterval = 5000

const { appendFile, writeFile, open, rename } = promises

/** Counts the writes of this process through `node:fs/promises`, which the product uses alone. */
export class DiskWrites {
  #figures: DiskFigures = { writes: 0, bytes: 0, syncs: 0, commits: 0 }
  #lastCommit = Number.NEGATIVE_INFINITY
  readonly #now: () => number

  /** @param now returns milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  get figures(): DiskFigures {
    return { ...this.#figures }
  }

  /** Begins to count. */
  start(): void {
    Object.assign(promises, {
      appendFile: (...write: Parameters<typeof appendFile>) => {
        this.#note(write[1])
        return appendFile(...write)
      },
      writeFile: (...write: Parameters<typeof writeFile>) => {
        const [, data, options] = write
        this.#note(data)
        if (typeof options === 'object' && options !== null && 'flush' in options && options.flush)
          this.#figures.syncs += 1
        return writeFile(...write)
      },
      rename: (...names: Parameters<typeof rename>) => {
        this.#note('')
        return rename(...names)
      },
      open: async (...file: Parameters<typeof open>) => this.#watch(await open(...file)),
    })
    syncBuiltinESMExports()
  }

  stop(): void {
    Object.assign(promises, { appendFile, writeFile, open, rename })
    syncBuiltinESMExports()
  }

  #watch(handle: FileHandle): FileHandle {
    const append = handle.appendFile.bind(handle)
    handle.appendFile = (...write) => {
      this.#note(write[0])
      return append(...write)
    }
    for (const sync of ['sync', 'datasync'] as const) {
      const original = handle[sync].bind(handle)
      handle[sync] = () => {
        this.#figures.syncs += 1
        return original()
      }
    }
    return handle
  }

  #note(data: unknown): void {
    this.#figures.writes += 1
    if (typeof data === 'string') this.#figures.bytes += Buffer.byteLength(data)
    const commit = Math.floor(this.#now() / commitInterval)
    if (commit !== this.#lastCommit) this.#figures.commits += 1
    this.#lastCommit = commit
  }
}
