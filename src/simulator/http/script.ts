/** What a test lays down for the next requests to an operation. */
export interface ScriptedAnswer {
  status: number
  /** An object goes out as JSON, text as it is; none: an empty body. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** For how many requests; 1 when absent, `Infinity` for all. */
  times?: number
  /** Milliseconds of the clock until the answer goes out; 0 when absent. */
  delay?: number
}

/** What to do with a request instead of answering it truthfully. */
export type Line = ScriptedAnswer | 'hang'

/** Laid-down answers by operation, each used up in the order it was laid down. */
export class Script {
  readonly #lines = new Map<string, { line: Line; left: number }[]>()

  /** Lays down a line for the next `times` requests to `operation`. */
  add(operation: string, line: Line, times: number): void {
    const lines = this.#lines.get(operation) ?? []
    lines.push({ line, left: times })
    this.#lines.set(operation, lines)
  }

  /** The line for the request that has just come in; undefined: answer truthfully. */
  take(operation: string): Line | undefined {
    const lines = this.#lines.get(operation)
    const first = lines?.[0]
    if (!lines || !first) return undefined
    first.left -= 1
    if (first.left <= 0) lines.shift()
    return first.line
  }

  /** Forgets what is laid down: for one operation, or for all. */
  clear(operation?: string): void {
    if (operation === undefined) this.#lines.clear()
    else this.#lines.delete(operation)
  }
}
