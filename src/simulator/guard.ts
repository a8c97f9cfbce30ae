const kept = 20

/**
 * The one entry point of everything that the simulator does on its own account: requests and timers.
 *
 * The simulator runs inside Node-RED as the demo, where one uncaught error would end every flow of the user.
 */
export class Guard {
  readonly #defects: Error[] = []

  /** Errors that were caught here, the oldest first, at most 20; empty unless the simulator has a defect. */
  get defects(): readonly Error[] {
    return this.#defects
  }

  /** Runs `action`; when it throws, keeps the error and runs `otherwise`. */
  run(action: () => void, otherwise?: () => void): void {
    try {
      action()
    } catch (thrown) {
      this.#keep(thrown)
      if (otherwise) this.run(otherwise)
    }
  }

  #keep(thrown: unknown): void {
    if (this.#defects.length < kept) {
      this.#defects.push(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }
}
