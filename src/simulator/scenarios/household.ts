import { second } from '../../duration.ts'
import type { Random } from '../random.ts'
import type { Panel, Residents } from '../world/panel.ts'
import type { WorldTime } from '../world/world-time.ts'
import {
  airing,
  createStage,
  forgottenWindow,
  leak,
  outing,
  type Scene,
  type Stage,
  tampering,
  weakBattery,
} from './scenes.ts'

/** Seconds for which a household does nothing after a person or a flow has acted on its panel. */
const quietTime = 300

/** Seconds until the first scene. */
const firstPause = 5

type TitledScene = readonly [scene: Scene, title: string]

/** The first scene: it shows that the panel lives, and neither arms nor opens anything. */
const firstScene: TitledScene = [weakBattery, 'a battery runs low and is replaced']

/** All scenes, some of them more often than others. */
const scenes: readonly TitledScene[] = [
  [outing, 'somebody leaves and comes home'],
  [airing, 'somebody opens a window or the door for a while'],
  firstScene,
  [forgottenWindow, 'a window is opened while the house is armed: an alarm'],
  [tampering, 'the case of a detector is opened'],
  [outing, 'somebody leaves and comes home'],
  [leak, 'water is detected'],
]

/**
 * The household of a panel: plays one scene after another. It gives way to whoever else acts on the panel, so that a first
 * press of a button meets a house at rest.
 */
export class Household implements Residents {
  readonly #time: WorldTime
  readonly #random: Random
  readonly #stage: Stage
  readonly #panel: Panel
  #isOn = true
  #next = firstScene
  /** The begin of the next scene, in milliseconds of the world. */
  #due = 0
  #quietUntil = 0
  #script: Generator<number, void> | undefined
  #cancel = () => {}

  constructor(panel: Panel, time: WorldTime, random: Random) {
    this.#panel = panel
    this.#time = time
    this.#random = random
    this.#stage = createStage(panel, random)
    this.welcome()
  }

  get plan(): Residents['plan'] {
    const isBusy = this.#script !== undefined
    const seconds = Math.max(0, Math.ceil((this.#due - this.#time.now()) / second))
    return { isOn: this.#isOn, isBusy, next: this.#next[1], seconds }
  }

  welcome(): void {
    if (!this.#isOn) return
    this.giveWay()
    this.#next = firstScene
    this.#beginIn(firstPause)
  }

  giveWay(): void {
    this.#leave()
    this.#quietUntil = this.#time.now() + quietTime * second
    if (this.#isOn) this.#beginIn(quietTime)
  }

  turn(isOn: boolean): void {
    this.#leave()
    this.#isOn = isOn
    if (isOn) this.#beginIn(firstPause)
  }

  /** Ends the scene in progress; its own end leaves everything disarmed and closed. */
  #leave(): void {
    this.#cancel()
    this.#script?.return()
    this.#script = undefined
  }

  #beginIn(seconds: number): void {
    this.#cancel()
    this.#due = this.#time.now() + seconds * second
    this.#cancel = this.#time.after(seconds, () => this.#begin())
  }

  #begin(): void {
    // Else somebody has armed the panel, or uses its menu.
    if (this.#panel.disarmed) {
      this.#script = this.#next[0](this.#stage)
      this.#continue()
    } else this.#beginIn(this.#random.between(15, 25))
  }

  #continue(): void {
    const { done, value } = this.#script?.next() ?? { done: true }
    if (!done && value !== undefined) {
      this.#cancel = this.#time.after(value, () => this.#continue())
      return
    }
    this.#script = undefined
    const [last] = this.#next
    this.#next = this.#random.pick(scenes.filter(([scene]) => scene !== last)) ?? firstScene
    const quiet = (this.#quietUntil - this.#time.now()) / second
    this.#beginIn(Math.max(quiet, this.#random.between(15, 25)))
  }
}
