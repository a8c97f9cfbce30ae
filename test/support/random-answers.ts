import fc from 'fast-check'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { withJsonText } from '../../src/simulator/http/http-response.ts'
import { Random } from '../../src/simulator/random.ts'
import { anyJson } from './any-json.ts'

/** What must work now and then, or nobody would ask for anything else. */
const gates = ['version', 'auth', 'panel/login']

/**
 * A service that answers most questions with random JSON, made of the words that its true answer would use.
 *
 * The same seed gives the same bodies in the same order to each operation.
 */
export class RandomAnswers implements Fault {
  readonly name = 'random bodies'
  /** How many bodies were given, by operation. */
  readonly given = new Map<string, number>()
  readonly #seed: number
  readonly #random: Random
  readonly #bodies = new Map<string, Iterator<unknown>>()

  constructor(seed: number) {
    this.#seed = seed
    this.#random = new Random(seed)
  }

  /** How many bodies were given in all. */
  get total(): number {
    return [...this.given.values()].reduce((sum, count) => sum + count, 0)
  }

  readonly answer: NonNullable<Fault['answer']> = (getOriginal, { operation }) => {
    const said = getOriginal()
    if (this.#random.next() < (gates.includes(operation) ? 0.7 : 0.2)) return said
    const bodies = this.#bodies.get(operation) ?? endless(anyJson(wordsIn(said.body)), this.#seed)
    this.#bodies.set(operation, bodies)
    this.given.set(operation, (this.given.get(operation) ?? 0) + 1)
    return withJsonText({ status: 200 }, JSON.stringify(bodies.next().value))
  }
}

function* endless<T>(arbitrary: fc.Arbitrary<T>, seed: number): Iterator<T> {
  for (let round = 0; ; round += 1) yield* fc.sample(arbitrary, { seed: seed + round, numRuns: 100 })
}

/** The names of all members of a JSON value, and some words where it has none. */
function wordsIn(value: unknown): readonly string[] {
  const words = new Set<string>(['id', 'name', 'state'])
  JSON.stringify(value, (key, member) => {
    if (!/^\d*$/.test(key)) words.add(key)
    return member
  })
  return [...words]
}
