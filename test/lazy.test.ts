import assert from 'node:assert/strict'
import { Lazy } from '../src/concurrency.ts'

describe('A lazy value', () => {
  /** Counts how often it is made; each making ends when the test ends it. */
  function workshop() {
    const makings: { resolve: (made: string) => void; reject: (reason: Error) => void }[] = []
    const thing = new Lazy<string>(() => new Promise((resolve, reject) => makings.push({ resolve, reject })))
    return { thing, makings }
  }

  it('is created at the first request, once for all callers', async () => {
    const { thing, makings } = workshop()
    assert.equal(makings.length, 0)
    const asked = [thing.get(), thing.get()]
    makings[0]?.resolve('made')
    assert.deepEqual(await Promise.all([...asked, thing.get()]), ['made', 'made', 'made'])
    assert.equal(makings.length, 1)
  })

  it('fails for all waiting callers, and is created again for the next one', async () => {
    const { thing, makings } = workshop()
    const asked = [thing.get(), thing.get()]
    makings[0]?.reject(new Error('no port'))
    for (const one of asked) await assert.rejects(one, /no port/)
    const again = thing.get()
    makings[1]?.resolve('made')
    assert.equal(await again, 'made')
  })

  it('is awaited at the end, and is undefined if it was never requested or failed', async () => {
    const { thing, makings } = workshop()
    assert.equal(await thing.made(), undefined)
    const failing = thing.get()
    const nothing = thing.made()
    makings[0]?.reject(new Error('no port'))
    await assert.rejects(failing)
    assert.deepEqual([await nothing, await thing.made()], [undefined, undefined])
    void thing.get()
    const made = thing.made()
    makings[1]?.resolve('made')
    assert.equal(await made, 'made')
    assert.equal(makings.length, 2)
  })
})
