/** A value of a fact and the moment from which it holds: milliseconds of the monotonic clock. */
interface Entry {
  at: number
  value: string
}

/** The facts about the world by name, each with all values that it ever had. A fact that is not noted is empty. */
export class FactHistory {
  readonly #entries = new Map<string, Entry[]>()

  /** Notes all facts of a moment. */
  note(now: number, facts: ReadonlyMap<string, string>): void {
    for (const [name, value] of facts) this.#add(name, value, now)
    for (const name of this.#entries.keys()) if (!facts.has(name)) this.#add(name, '', now)
  }

  /** The names of all facts that were ever noted. */
  get names(): Iterable<string> {
    return this.#entries.keys()
  }

  /** Returns true if a fact was ever noted. */
  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Returns the values that a fact had between two moments, both included. */
  values(name: string, from: number, to: number): string[] {
    const entries = this.#entries.get(name) ?? []
    const values: string[] = []
    for (let at = entries.length - 1; at >= 0; at -= 1) {
      const entry = entries[at] as Entry
      if (entry.at <= to) values.push(entry.value)
      if (entry.at <= from) return values
    }
    return [...values, '']
  }

  /** Returns true if a fact had a value at some moment between two. */
  was(name: string, value: string, from: number, to: number): boolean {
    return this.values(name, from, to).includes(value)
  }

  /** Returns true if a fact had one value all the time between two moments. */
  stayed(name: string, value: string, from: number, to: number): boolean {
    return this.values(name, from, to).every((one) => one === value)
  }

  /** Returns the moment since which a fact has its latest value. */
  since(name: string): number {
    return this.#entries.get(name)?.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  }

  #add(name: string, value: string, at: number): void {
    const entries = this.#entries.get(name) ?? []
    if (entries.length === 0) this.#entries.set(name, entries)
    if ((entries.at(-1)?.value ?? '') !== value) entries.push({ at, value })
  }
}
