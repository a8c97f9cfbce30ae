import type { FlowMessage } from '../../recorder.ts'
import type { NodeCheck, Surroundings } from './check.ts'
import { Claims } from './claims.ts'

/** Each reading has a value that it had since the poll before the latest one. */
export class ReadingsCheck implements NodeCheck {
  readonly #claims: Claims

  constructor(of: Surroundings) {
    this.#claims = new Claims(of, 'readings')
  }

  hear({ payload, reading, device, stale }: FlowMessage, now: number): void {
    const fact = `device ${device.id} ${reading.kind}`
    const word = String(Array.isArray(payload) ? [...payload].sort() : payload)
    if (stale) this.#claims.withdraw(fact)
    else this.#claims.tell({ fact, source: 'devices' }, word, now)
  }

  compare(now: number): void {
    this.#claims.compare(now)
  }
}
