import type { FlowMessage } from '../../recorder.ts'
import type { NodeCheck, Surroundings } from './check.ts'
import { Claims } from './claims.ts'

/** Each reading has a value that it had since the poll before the latest one. */
export class ReadingsCheck implements NodeCheck {
  readonly #of: Surroundings
  readonly #claims: Claims

  constructor(of: Surroundings) {
    this.#of = of
    this.#claims = new Claims(of, 'readings')
  }

  hear({ payload, reading, device, stale }: FlowMessage, now: number): void {
    const fact = `device ${device.id} ${reading.kind}`
    const word = String(Array.isArray(payload) ? [...payload].sort() : payload)
    const { blind, world } = this.#of
    const isOfPanel = world.panel.devices.some(
      ({ id, device_type }) => id === device.id && device_type === 'CONTROL_PANEL',
    )
    // What a wrong answer tells of the panel's own troubles stands for up to ten minutes: they are seldom read.
    const isWrong = isOfPanel && reading.kind === 'warnings' && blind.isWrong('devices', now, now)
    if (stale || isWrong) this.#claims.withdraw(fact)
    else this.#claims.tell({ fact, source: 'devices' }, word, now)
  }

  compare(now: number): void {
    this.#claims.compare(now)
  }
}
