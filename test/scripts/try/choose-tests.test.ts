import assert from 'node:assert/strict'
import fc from 'fast-check'

interface CoverageMap {
  measured: string
  tests: { file: string; cost: number }[]
  sources: Record<string, number[][]>
}

interface Chosen {
  chosen: string[]
  left: string[]
  cost: number
  costLeft: number
  functions: number
  missed: number
}

interface Modules {
  coverCheaply(
    functions: number[][],
    costs: number[],
    options?: { among?: (test: number) => boolean; budget?: number; share?: number },
  ): number[]
  chooseByMap(
    sources: string[],
    map: CoverageMap,
    options: { budget: number; exists: (file: string) => boolean },
  ): Chosen | undefined
  chooseByImports(sources: string[], tests: string[], importersOf: (file: string) => string[]): string[]
}

let modules: Modules
before(async () => {
  const load = (name: string) => import(new URL(`../../../scripts/try/${name}.js`, import.meta.url).href)
  modules = { ...(await load('cheapest-cover')), ...(await load('choose-tests')) }
})

const source = 'src/panel/lock.ts'
const named = 'test/panel/lock.test.ts'
const [near, other] = ['test/panel/door.test.ts', 'test/panel/zone.test.ts']
const far = 'test/nodes/state/state.test.ts'

/** Chooses among tests, each with its cost and the functions of the source that it runs. */
function choose(
  tests: Record<string, { cost: number; runs: number[] }>,
  { budget = 2000, gone = [] as string[], added = [] as string[] } = {},
): Chosen | undefined {
  const files = Object.keys(tests)
  const functions = new Map<number, number[]>()
  for (const [test, { runs }] of Object.values(tests).entries())
    for (const one of runs) functions.set(one, [...(functions.get(one) ?? []), test])
  const map = {
    measured: '2026-12-01',
    tests: Object.entries(tests).map(([file, { cost }]) => ({ file, cost })),
    sources: functions.size > 0 ? { [source]: [...functions.values()] } : {},
  }
  const exists = (file: string) => !gone.includes(file) && [...files, ...added].includes(file)
  return modules.chooseByMap([source], map, { budget, exists })
}

describe('The tests of a changed source, by the map of coverage,', () => {
  it('begin with the one of its name, whatever it costs', () => {
    const found = choose({ [far]: { cost: 10, runs: [1, 2] }, [named]: { cost: 5000, runs: [1] } })
    assert.deepEqual(found?.chosen, [named])
    assert.deepEqual([found?.left, found?.cost, found?.costLeft, found?.missed], [[far], 5000, 10, 1])
  })

  it('are those of its folder before cheaper ones elsewhere', () => {
    const found = choose({ [far]: { cost: 10, runs: [1, 2] }, [near]: { cost: 900, runs: [1, 2] } })
    assert.deepEqual(found?.chosen, [near])
  })

  it('are one elsewhere too, if it alone runs a function', () => {
    const found = choose({ [far]: { cost: 900, runs: [3] }, [near]: { cost: 900, runs: [1, 2] } })
    assert.deepEqual([found?.chosen, found?.functions, found?.missed], [[near, far], 3, 0])
  })

  it('are more of its folder as long as the budget lasts', () => {
    const found = choose({ [near]: { cost: 10, runs: [1] }, [other]: { cost: 20, runs: [1] } })
    assert.deepEqual(found?.chosen, [near, other])
  })

  it('cost no more than the budget, and what they miss is counted', () => {
    const found = choose({
      [near]: { cost: 1400, runs: [1, 2] },
      [other]: { cost: 800, runs: [2] },
      [far]: { cost: 700, runs: [3] },
    })
    assert.deepEqual([found?.chosen, found?.missed, found?.costLeft], [[near], 1, 1500])
    assert.deepEqual(found?.left, [far, other])
  })

  it('are the cheapest one if each is too dear', () => {
    const found = choose({ [near]: { cost: 9000, runs: [1, 2] }, [far]: { cost: 8000, runs: [1] } })
    assert.deepEqual(found?.chosen, [far])
  })

  it('are not those that are gone, but one of its name that is new', () => {
    const tests = { [near]: { cost: 10, runs: [1] }, [far]: { cost: 20, runs: [1] } }
    assert.deepEqual(choose(tests, { gone: [near], added: [named] })?.chosen, [named, far])
  })

  it('are unknown if no test runs it', () => {
    assert.equal(choose({ [near]: { cost: 10, runs: [] } }), undefined)
    assert.equal(choose({ [near]: { cost: 10, runs: [1] } }, { gone: [near] }), undefined)
  })
})

describe('The tests of a changed source, without a map,', () => {
  const tests = [named, near, far, 'test/panel/polling/poll.test.ts', 'test/messages/text.test.ts']
  const importers: Record<string, string[]> = { [source]: ['src/messages/text.ts', far] }
  const choose = (changed: string) =>
    modules.chooseByImports([changed], tests, (file) => importers[file] ?? [])

  it('have its name, import it, are of its folder or have the name of what imports it, in this order', () => {
    assert.deepEqual(choose(source), [named, far, near, 'test/messages/text.test.ts'])
  })

  it('are of the folder nodes for a node', () => {
    assert.deepEqual(choose('nodes/state/behavior.ts'), [far])
  })
})

describe('The cheapest cover', () => {
  /** Functions, each with the tests that run it, and the costs of the tests. */
  const anyCoverage = fc.array(fc.nat({ max: 3000 }), { minLength: 1, maxLength: 8 }).chain((costs) =>
    fc.record({
      costs: fc.constant(costs),
      functions: fc.array(fc.uniqueArray(fc.nat({ max: costs.length - 1 }), { minLength: 1 }), {
        maxLength: 20,
      }),
    }),
  )
  const runs = (chosen: number[]) => (tests: number[]) => tests.some((test) => chosen.includes(test))

  it('runs each function that any test runs', () => {
    fc.assert(
      fc.property(anyCoverage, ({ functions, costs }) => {
        const chosen = modules.coverCheaply(functions, costs)
        assert.ok(functions.every(runs(chosen)))
        assert.equal(new Set(chosen).size, chosen.length)
      }),
      { numRuns: 50 },
    )
  })

  it('runs a share of them if that is enough, with no test that is not needed for it', () => {
    fc.assert(
      fc.property(anyCoverage, ({ functions, costs }) => {
        const chosen = modules.coverCheaply(functions, costs, { share: 0.5 })
        const share = (tests: number[]) => functions.filter(runs(tests)).length / functions.length
        if (functions.length === 0) assert.deepEqual(chosen, [])
        else assert.ok(share(chosen) >= 0.5 && share(chosen.slice(0, -1)) < 0.5)
      }),
      { numRuns: 50 },
    )
  })

  it('costs no more than the budget, and has only tests that may be chosen', () => {
    fc.assert(
      fc.property(anyCoverage, fc.nat({ max: 5000 }), ({ functions, costs }, budget) => {
        const chosen = modules.coverCheaply(functions, costs, { budget, among: (test) => test > 0 })
        assert.ok(chosen.reduce((sum, test) => sum + (costs[test] ?? 0), 0) <= budget)
        assert.ok(!chosen.includes(0))
      }),
      { numRuns: 50 },
    )
  })

  it('prefers what runs most for its cost', () => {
    assert.deepEqual(
      modules.coverCheaply(
        [
          [0, 1],
          [0, 2],
          [0, 1],
        ],
        [900, 100, 100],
      ),
      [1, 2],
    )
    assert.deepEqual(
      modules.coverCheaply(
        [
          [0, 1],
          [0, 2],
          [0, 1],
        ],
        [150, 100, 100],
      ),
      [0],
    )
  })
})
