/**
 * Draws mutants at random, from each file in proportion to its number of mutants.
 * @param {{ file: string }[]} mutants in the order of their files
 * @param {number} size
 * @param {number} seed the same seed draws the same mutants
 */
export function drawSample(mutants, size, seed) {
  if (size >= mutants.length) return mutants
  const step = mutants.length / size
  const random = createRandom(seed)
  return Array.from({ length: size }, (_, index) => mutants[Math.floor((index + random()) * step)])
}

/** Returns a generator of numbers from 0 up to 1 (mulberry32). */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
