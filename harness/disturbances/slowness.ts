/** The milliseconds that something needs more than usual; of several, the most. */
export class Slowness {
  readonly #all = new Set<{ ms: number }>()

  /** Milliseconds; 0 if nothing slows it down. */
  get ms(): number {
    return Math.max(0, ...[...this.#all].map(({ ms }) => ms))
  }

  /** Slows it down until the signal is aborted. */
  add(ms: number, signal: AbortSignal): void {
    const one = { ms }
    this.#all.add(one)
    signal.addEventListener('abort', () => this.#all.delete(one), { once: true })
  }
}
