/** The attempts of this process that run, for the end of their store. */
export class RunningAttempts {
  #count = 0
  #isOver = false
  #settle = () => {}

  /** True after the call of `over`: no attempt may begin. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Notes that an attempt begins; call the returned function once at its end. */
  begin(): () => void {
    this.#count += 1
    return () => {
      this.#count -= 1
      if (this.#count === 0) this.#settle()
    }
  }

  /** Ends the use; resolves when no attempt runs. */
  over(): Promise<void> {
    this.#isOver = true
    return new Promise((resolve) => {
      this.#settle = resolve
      if (this.#count === 0) resolve()
    })
  }
}
