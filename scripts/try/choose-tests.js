import { dirname } from 'node:path/posix'
import { coverCheaply } from './cheapest-cover.js'

/**
 * Chooses tests for sources by a map of coverage: those with their names, then the cheapest ones of their folders and the
 * cheapest of all that run what those do not, then more of their folders, within a budget.
 * @param {string[]} sources
 * @param {import('./coverage-map.js').CoverageMap} map
 * @param {{ budget: number, exists: (file: string) => boolean }} options the budget in milliseconds of processor time; a test can
 *   be newer than the map, or be gone since
 * @returns {{ chosen: string[], left: string[], cost: number, costLeft: number, functions: number, missed: number } | undefined}
 *   `left` are the other tests that run the sources, `missed` counts the functions that only they run; undefined if the
 *   map knows no test of the sources
 */
export function chooseByMap(sources, map, { budget, exists }) {
  const functions = sources
    .flatMap((source) => map.sources[source] ?? [])
    .map((tests) => tests.filter((test) => exists(map.tests[test].file)))
    .filter((tests) => tests.length > 0)
  if (functions.length === 0) return undefined
  const costs = map.tests.map(({ cost }) => cost)
  const names = new Set(sources.map(testOf))
  const folders = new Set(sources.map(testFolderOf))
  const isNear = (test) => folders.has(dirname(map.tests[test].file))
  const reaching = [...new Set(functions.flat())].sort((one, other) => costs[one] - costs[other])

  const chosen = new Set(reaching.filter((test) => names.has(map.tests[test].file)))
  const sum = (tests) => [...tests].reduce((all, test) => all + costs[test], 0)
  const cover = (among) => {
    const missed = functions.filter((tests) => !tests.some((test) => chosen.has(test)))
    for (const test of coverCheaply(missed, costs, { among, budget: budget - sum(chosen) })) chosen.add(test)
  }
  cover(isNear)
  cover()
  for (const test of reaching) if (isNear(test) && sum(chosen) + costs[test] <= budget) chosen.add(test)
  // A dear test is better than none.
  if (chosen.size === 0) chosen.add(reaching[0])

  const left = reaching.filter((test) => !chosen.has(test))
  const file = (test) => map.tests[test].file
  const isNew = (name) => exists(name) && !map.tests.some(({ file }) => file === name)
  return {
    chosen: [...[...names].filter(isNew), ...[...chosen].map(file)],
    left: left.map(file),
    cost: sum(chosen),
    costLeft: sum(left),
    functions: functions.length,
    missed: functions.filter((tests) => !tests.some((test) => chosen.has(test))).length,
  }
}

/**
 * Chooses tests for sources without a map: those with their names, those that import them, those of their folders, and those with
 * the names of the sources that import them, in this order.
 * @param {string[]} sources
 * @param {string[]} tests
 * @param {(file: string) => string[]} importersOf the sources and tests that import a file
 */
export function chooseByImports(sources, tests, importersOf) {
  const importers = sources.flatMap((source) => importersOf(source))
  const names = sources.map(testOf)
  const folders = sources.map(testFolderOf)
  const others = importers.map(testOf)
  const kinds = [
    (test) => names.includes(test),
    (test) => importers.includes(test),
    (test) => folders.includes(dirname(test)),
    (test) => others.includes(test),
  ]
  return [...new Set(kinds.flatMap((isOfKind) => tests.filter(isOfKind)))]
}

/** Returns the test file with the name of a source: of src/panel/panel.ts it is test/panel/panel.test.ts. */
function testOf(source) {
  return source
    .replace(/^src\//, 'test/')
    .replace(/^(nodes|harness|bench)\//, 'test/$1/')
    .replace(/\.ts$/, '.test.ts')
}

/** Returns the folder with the tests of a source; the tests of src/ itself have only their names in common. */
function testFolderOf(source) {
  const folder = dirname(testOf(source))
  return folder === 'test' ? testOf(source) : folder
}
