import type { WorldTime } from './world-time.ts'

/** How long a siren may sound at most, in seconds. */
const bellTime = 240

/** The sirens of a panel, which sound together. */
export class Siren {
  readonly #time: WorldTime
  #sounding = false
  #cancel = () => {}

  constructor(time: WorldTime) {
    this.#time = time
  }

  /** True while it can be heard. */
  get sounding(): boolean {
    return this.#sounding
  }

  /** Sounds until it is silenced, for four minutes at most. */
  sound(): void {
    this.silence()
    this.#sounding = true
    this.#cancel = this.#time.after(bellTime, () => {
      this.#sounding = false
    })
  }

  /** Ends the sound. */
  silence(): void {
    this.#cancel()
    this.#sounding = false
  }
}
