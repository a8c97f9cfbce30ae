import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { KindOfHouses } from '../arbitraries/any-house.ts'
import { anyLife } from '../arbitraries/any-life.ts'
import type { Life } from '../life.ts'

/** Returns the life of a seed: always the same one, whatever was drawn before it. */
export function drawLife(kind: KindOfHouses, seed: number): Life {
  // Neighboring seeds of the generator draw similar lives.
  const mixed = createHash('sha256').update(`${kind} ${seed}`).digest().readInt32LE()
  // Of a single life fast-check would prefer small values: it begins with them.
  const [life] = fc.sample(anyLife(kind), { seed: mixed, numRuns: 1, unbiased: true })
  if (life === undefined) throw new Error(`No life was drawn from seed ${seed}.`)
  return life
}

/** Returns the command that lives the life of a seed again, and tells its story. */
export function commandOfSeed(kind: KindOfHouses, seed: number): string {
  return `npm run simulate -- --seed ${seed}${kind === 'houses' ? '' : ` --kind '${kind}'`}`
}
