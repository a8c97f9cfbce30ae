/** Milliseconds of processor time: what each file costs beside its tests, so that one file is better than several. */
const loading = 200

/**
 * Chooses tests that together run all functions, or a share of them, for little: again and again the one that runs most of the
 * functions that no chosen one runs, for its cost.
 * @param {number[][]} functions for each function the tests that run it, by their positions
 * @param {number[]} costs of the tests, by their positions
 * @param {{ among?: (test: number) => boolean, budget?: number, share?: number }} [options] which tests may be chosen; what they
 *   may cost together; which part of the functions is enough
 * @returns {number[]} the tests, in the order in which they were chosen
 */
export function coverCheaply(functions, costs, { among = () => true, budget = Infinity, share = 1 } = {}) {
  const uncovered = new Set(functions)
  const enough = functions.length * (1 - share)
  const chosen = []
  let left = budget
  while (uncovered.size > enough) {
    const gains = new Map()
    for (const tests of uncovered)
      for (const test of tests)
        if (among(test) && costs[test] <= left) gains.set(test, (gains.get(test) ?? 0) + 1)
    if (gains.size === 0) break
    const worth = (test) => gains.get(test) / (costs[test] + loading)
    const best = [...gains.keys()].reduce((one, other) => (worth(other) > worth(one) ? other : one))
    chosen.push(best)
    left -= costs[best]
    for (const tests of uncovered) if (tests.includes(best)) uncovered.delete(tests)
  }
  return chosen
}
