const maxDefects = 20

/**
 * Runs the entry points of the simulator, requests and timers, and keeps the errors that they throw.
 *
 * The simulator runs inside Node-RED as the demo, where an uncaught error would end all flows of the user.
 */
export class Guard {
  readonly #defects: Error[] = []

  /** Errors caught here, oldest first, at most 20; empty unless the simulator has a defect. */
  get defects(): readonly Error[] {
    return this.#defects
  }

  /** Runs `action`; if it throws, keeps the error and runs `fallback`. */
  run(action: () => void, fallback?: () => void): void {
    try {
      action()
    } catch (thrown) {
      this.#keep(thrown)
      if (fallback) this.run(fallback)
    }
  }

  #keep(thrown: unknown): void {
    if (this.#defects.length < maxDefects) {
      this.#defects.push(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }
}
