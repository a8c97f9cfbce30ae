import type { WorldTime } from '../world-time.ts'

/** Maximum duration of a siren, in seconds. */
const maxSeconds = 240

/** All sirens of a panel; they sound together. */
export class Siren {
  readonly #time: WorldTime
  #sounding = false
  #cancel = () => {}

  constructor(time: WorldTime) {
    this.#time = time
  }

  /** True while the sirens sound. */
  get sounding(): boolean {
    return this.#sounding
  }

  /** Starts the sirens; they stop after four minutes. */
  sound(): void {
    this.silence()
    this.#sounding = true
    this.#cancel = this.#time.after(maxSeconds, () => {
      this.#sounding = false
    })
  }

  /** Starts the sirens for an alarm; one that begins while they sound does not prolong them (makers' guides). */
  soundForAlarm(): void {
    if (!this.#sounding) this.sound()
  }

  /** Stops the sirens. */
  silence(): void {
    this.#cancel()
    this.#sounding = false
  }
}
