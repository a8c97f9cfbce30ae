import assert from 'node:assert/strict'
import { toCommonJs } from '../../../harness/simulation/process/common-js.ts'
import { compileProduct, ProductCopy } from '../../../harness/simulation/process/product-copy.ts'

const clock = 'src/clock.js'
const surroundings = { modules: {}, setImmediate: () => {}, random: () => 0.25 }

/** Evaluates a module, with what it imports. */
function evaluate(text: string, modules: Record<string, object> = {}): Record<string, unknown> {
  const exports = {}
  new Function('exports', 'require', 'moduleUrl', toCommonJs(text).body)(
    exports,
    (name: string) => modules[name],
    'file:///m.js',
  )
  return exports
}

describe('A module that is converted to the body of a function', () => {
  it('exports what the module exports', () => {
    const text = `import one, { two as second } from './a.js'
import * as all from './a.js'
export { three } from './a.js'
export const sum = one + second, list = Object.keys(all)
export function double(value) { return value * 2 }
export class Empty {}
export default function main() { return import.meta.url }`
    const { main: _, ...found } = evaluate(text, { './a.js': { default: 1, two: 2, three: 3 } })
    assert.deepEqual([found.sum, found.list, found.three], [3, ['default', 'two', 'three'], 3])
    assert.equal((found.double as (value: number) => number)(4), 8)
    assert.equal((found.default as () => string)(), 'file:///m.js')
  })

  it('imports later what the module imports later', async () => {
    const { load } = evaluate(`export const load = () => import('./a.js')`, { './a.js': { one: 1 } })
    assert.deepEqual(await (load as () => Promise<object>)(), { one: 1 })
  })

  it('keeps its lines', () => {
    const text = `import { a } from './a.js'
import {
  b,
  c,
} from './b.js'
export const last = a`
    assert.equal(toCommonJs(text).body.split('\n').length, text.split('\n').length)
  })

  it('names what it cannot convert', () => {
    assert.throws(() => toCommonJs(`export * from './a.js'`), /export \*/)
  })
})

describe('A copy of the product', () => {
  before(() => compileProduct(clock))

  it('shares nothing with another copy', () => {
    const [one, other] = [new ProductCopy(surroundings), new ProductCopy(surroundings)].map(
      (copy) => copy.load<{ systemClock: object }>(clock).systemClock,
    )
    assert.ok(one)
    assert.notEqual(one, other)
  })

  it('loads each module once', () => {
    const copy = new ProductCopy(surroundings)
    assert.equal(copy.load(clock), copy.load(clock))
  })
})
