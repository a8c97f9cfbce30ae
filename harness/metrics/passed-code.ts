import { type Profiler, Session } from 'node:inspector'

const root = new URL('../../', import.meta.url).href

/** The files of the product that have run, in alphabetical order, and the number of functions that ran in them. */
export interface Passed {
  files: string[]
  functions: number
}

/** Counts the code of the product that runs, by the precise coverage of V8. */
export class PassedCode {
  readonly #session = new Session()

  /** Begins to count. */
  start(): void {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }

  /** Forgets what has run so far. */
  forget(): void {
    this.#take()
  }

  /** Returns what has run since the last call. */
  passed(): Passed {
    const scripts = this.#take().flatMap(({ url, functions }) => {
      const path = url.startsWith(root) ? url.slice(root.length) : ''
      // The first one is the module itself.
      const ran = functions.filter(
        ({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0,
      )
      return /^(src\/(?!simulator\/)|nodes\/)/.test(path) && ran.length > 0
        ? [{ file: path.replace(/\.js$/, '.ts'), ran: ran.length }]
        : []
    })
    return {
      files: scripts.map(({ file }) => file).toSorted(),
      functions: scripts.reduce((sum, { ran }) => sum + ran, 0),
    }
  }

  #take(): Profiler.ScriptCoverage[] {
    let result: Profiler.ScriptCoverage[] = []
    // It answers before it returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error
      result = answer.result
    })
    return result
  }
}
