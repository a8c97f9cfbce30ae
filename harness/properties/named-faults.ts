import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'

/** Faults that a random test draws by their names: what it prints when it fails names them. */
export class NamedFaults {
  readonly #byName: ReadonlyMap<string, () => Fault>

  constructor(...makes: readonly (() => Fault)[]) {
    this.#byName = new Map(makes.map((make) => [make().name, make]))
    assert.equal(this.#byName.size, makes.length, 'two faults have one name')
  }

  /** One of the names. */
  get anyName(): fc.Arbitrary<string> {
    return fc.constantFrom(...this.#byName.keys())
  }

  /** Makes the fault with a name. */
  make(name: string): Fault {
    return this.#byName.get(name)?.() ?? assert.fail(`there is no fault ${name}`)
  }
}
