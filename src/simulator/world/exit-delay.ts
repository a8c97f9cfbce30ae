import type { PanelOptions } from './panel-options.ts'
import type { WorldTime } from './world-time.ts'

/** The time and the mode of an exit delay that begins. */
export interface Exit {
  readonly seconds: number
  readonly mode: PanelOptions['exitMode']
  /**
   * Is called at its end.
   * @param hasLeft false if no door was opened in it
   */
  onEnd(hasLeft: boolean): void
}

/** The time in which people leave a partition that is armed: its doors may be opened. */
export class ExitDelay {
  readonly #time: WorldTime
  #exit: Exit | undefined
  /** The number of times that a door was opened in it. */
  #openings = 0
  #cancelTimer = () => {}

  constructor(time: WorldTime) {
    this.#time = time
  }

  /** True until it ends or is canceled. */
  get isRunning(): boolean {
    return this.#exit !== undefined
  }

  /** Starts it, in the place of one that runs. */
  start(exit: Exit): void {
    this.#exit = exit
    this.#openings = 0
    this.#startTimer(exit)
  }

  /** Cancels it. */
  cancel(): void {
    this.#cancelTimer()
    this.#exit = undefined
  }

  /** Notes that a door is opened. Makers' guides: in some modes, when people come back once, the delay begins again. */
  openDoor(): void {
    if (this.#exit === undefined) return
    this.#openings += 1
    if (this.#openings === 2 && this.#exit.mode.startsWith('restart')) this.#startTimer(this.#exit)
  }

  /** Notes that a door is closed. Makers' guides: in one mode, this ends the delay. */
  closeDoor(): void {
    if (this.#exit?.mode === 'end-by-exit') this.#end(this.#exit)
  }

  #startTimer(exit: Exit): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#time.after(exit.seconds, () => this.#end(exit))
  }

  #end(exit: Exit): void {
    this.cancel()
    exit.onEnd(this.#openings > 0)
  }
}
