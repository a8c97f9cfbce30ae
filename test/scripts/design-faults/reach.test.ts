import assert from 'node:assert/strict'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Modules {
  offsetsOfHunks(difference: string, sound: string): number[]
  reaches(
    functions: ReadonlyMap<string, readonly Range[]> | undefined,
    changes: ReadonlyMap<string, readonly number[]>,
  ): boolean
}

let modules: Modules
before(async () => {
  modules = await import(new URL('../../../scripts/design-faults/reach.js', import.meta.url).href)
})

describe('A world that runs nothing of what a fault changes cannot notice it:', () => {
  const sound = 'function one() {\n  return 1\n}\nfunction two() {\n  return 2\n}\nconst three = 3\n'
  const range = (text: string, count: number): Range => {
    const startOffset = sound.indexOf(text)
    return { startOffset, endOffset: startOffset + text.length, count }
  }
  const functions = new Map([
    [
      'src/numbers.js',
      [
        range(sound, 1),
        range('function one() {\n  return 1\n}', 0),
        range('function two() {\n  return 2\n}', 4),
      ],
    ],
  ])
  const isReached = (difference: string) =>
    modules.reaches(functions, new Map([['src/numbers.js', modules.offsetsOfHunks(difference, sound)]]))

  it('a changed line is reached if its function is run', () => {
    assert.equal(isReached('@@ -2 +2 @@\n-  return 1\n+  return 5'), false)
    assert.equal(isReached('@@ -5 +5 @@\n-  return 2\n+  return 5'), true)
  })

  it('an added line is reached if the function around it is run', () => {
    assert.equal(isReached('@@ -1,0 +2 @@\n+  lose()'), false)
    assert.equal(isReached('@@ -4,0 +5 @@\n+  lose()'), true)
  })

  it('one of several changes is enough', () => {
    const lines = '@@ -2 +2 @@\n-  return 1\n+  return 5\n@@ -5 +5 @@\n-  return 2\n+  return 5'
    assert.equal(isReached(lines), true)
  })

  it('a line outside of all functions is reached if the module is used', () => {
    assert.equal(isReached('@@ -7 +7 @@\n-const three = 3\n+const three = 5'), true)
  })

  it('a module that is not loaded is not reached', () => {
    assert.equal(modules.reaches(functions, new Map([['src/letters.js', [0]]])), false)
  })

  it('a world of which nothing is known may reach everything', () => {
    assert.equal(modules.reaches(undefined, new Map([['src/letters.js', [0]]])), true)
  })
})
