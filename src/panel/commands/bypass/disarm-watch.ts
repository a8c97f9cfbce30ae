import { wholePanel } from '../../../service/responses/status.ts'
import type { StateView } from '../../state/partition-state.ts'

/** Calls `listener` with each state of the panel that is read. Returns a function that ends this. */
export type WatchState = (listener: (view: StateView) => void) => () => void

/** One for all panels, of which most are never looked at. */
const unknown: ReadonlyMap<number, string> = new Map()

/** Looks for disarms in the states that are read, while it is on. */
export class DisarmWatch {
  readonly #watchState: WatchState
  readonly #noteDisarm: () => void
  /** The state of each partition at the last look. */
  #values = unknown
  /** The partitions that were seen armed since the start, or since that was forgotten. */
  #armed = new Set<number>()
  #stop: (() => void) | undefined

  /** @param noteDisarm called when a partition is disarmed that was not at the last look */
  constructor(watchState: WatchState, noteDisarm: () => void) {
    this.#watchState = watchState
    this.#noteDisarm = noteDisarm
  }

  /** Turns it on or off. */
  turn(isOn: boolean): void {
    if (!isOn) {
      this.#stop?.()
      this.#stop = undefined
      this.#values = unknown
    } else this.#stop ??= this.#watchState((view) => this.#look(view))
  }

  /** Notes that a partition, or all of them, were armed, because a command has disarmed them. */
  noteArmed(partition: number): void {
    this.#armed.add(partition)
  }

  /** Forgets that a partition, or all of them, were seen armed, because of a new arming. */
  forgetArmed(partition: number): void {
    if (partition === wholePanel) this.#armed.clear()
    for (const id of [partition, wholePanel]) this.#armed.delete(id)
  }

  /** Returns true if a partition, or all of them, were seen armed. */
  hasSeenArmed(partition: number): boolean {
    if (this.#armed.has(partition) || this.#armed.has(wholePanel)) return true
    return this.#values.size > 0 && [...this.#values.keys()].every((id) => this.#armed.has(id))
  }

  #look({ partitions }: StateView): void {
    const isNew = partitions.some(({ id, value }) => value === 'DISARM' && this.#values.get(id) !== value)
    this.#values = new Map(partitions.map(({ id, value }) => [id, value]))
    for (const { id, value } of partitions) if (value !== 'DISARM' && value !== 'UNKNOWN') this.#armed.add(id)
    if (isNew) this.#noteDisarm()
  }
}
