import assert from 'node:assert/strict'
import { Lazy } from '../src/lazy.ts'

describe('What is made on demand', () => {
  /** Counts how often it is made; each making ends when the test ends it. */
  function workshop() {
    const makings: { resolve: (made: string) => void; reject: (reason: Error) => void }[] = []
    const thing = new Lazy<string>(() => new Promise((resolve, reject) => makings.push({ resolve, reject })))
    return { thing, makings }
  }

  it('is made when it is first asked for, once for all who ask', async () => {
    const { thing, makings } = workshop()
    assert.equal(makings.length, 0)
    const asked = [thing.get(), thing.get()]
    makings[0]?.resolve('made')
    assert.deepEqual(await Promise.all([...asked, thing.get()]), ['made', 'made', 'made'])
    assert.equal(makings.length, 1)
  })

  it('fails for all who wait for it, and is made anew for the next who asks', async () => {
    const { thing, makings } = workshop()
    const asked = [thing.get(), thing.get()]
    makings[0]?.reject(new Error('no port'))
    for (const one of asked) await assert.rejects(one, /no port/)
    const again = thing.get()
    makings[1]?.resolve('made')
    assert.equal(await again, 'made')
  })

  it('is waited for by whoever ends it, and is nothing where nobody asked or it failed', async () => {
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
