import { ageWithSleep } from '../../src/clock.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'

/**
 * The parts of a panel that tell alarms: the state, the list of alarms, and the events if a node listens to them. Nobody is
 * told of an alarm by readings alone.
 */
export class AlarmParts {
  readonly #panel: Panel
  /** The time since which the list of alarms cannot be read: milliseconds of the monotonic clock. */
  #listLostAt: number | undefined

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Notes if a state has the alarms of a list. */
  note({ view }: Snapshot<StateView>): void {
    if (view.isListLost) this.#listLostAt ??= this.#panel.account.clock.monotonic()
    else this.#listLostAt = undefined
  }

  /** True while no part is too old to rely on, and the positions of the nodes in the events can be written. */
  get areFresh(): boolean {
    const { state, events, account, health } = this.#panel
    const { clock } = account
    const isFresh = (latest: Snapshot<unknown> | undefined) =>
      latest !== undefined &&
      ageWithSleep({ wall: latest.fetchedAt, monotonic: latest.at }, clock) <= latest.validFor
    const { latest } = state
    if (latest === undefined || !isFresh(latest) || health.cursorFails) return false
    const lostFor = clock.monotonic() - (this.#listLostAt ?? Number.POSITIVE_INFINITY)
    if (lostFor > latest.validFor) return false
    if (!events.hasListeners) return true
    const { condition } = events
    // Another instance of the cluster reads the events, and tells them.
    if (condition.state === 'standby') return condition.holderFailure === undefined
    return isFresh(events.latest)
  }
}
