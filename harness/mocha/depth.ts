/** True in `npm run test:deep`: each property gets all of its random inputs, and each process all of its kills. */
export const isDeep = process.env.DEPTH === 'deep'

/** The number of random inputs that `npm run design-faults` asks each property to try; undefined in all other runs. */
const asked = process.env.INPUTS === undefined ? undefined : Number(process.env.INPUTS)

/** The share of the random inputs of the deep suite that all other runs try. */
const share = 1 / 20

/**
 * Returns how many random inputs a property of the long suite tries in this run.
 * @param deep the number in the deep suite; all other runs try a twentieth of it, one at least
 */
export function inputs(deep: number): number {
  return repetitions(deep, Math.max(1, Math.round(deep * share)))
}

/**
 * Returns how often this run does what needs a real process, such as a kill, or tries a property that only `npm test` has.
 * @param deep the number in the deep suite
 * @param few the number in all other runs: as many as show that it works at all
 */
export function repetitions(deep: number, few: number): number {
  return asked ?? (isDeep ? deep : few)
}
