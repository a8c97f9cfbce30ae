import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { addFormRoute, type FormAnswer } from '../../../nodes/admin/form-route.ts'

/** The handler of a route with this module. */
function handlerOf(load: () => Promise<FormAnswer>, logged: unknown[] = []) {
  let handle: (request: object, response: object) => void = () => {}
  const RED = {
    log: { error: (line: unknown) => logged.push(line) },
    auth: { needsPermission: () => undefined },
    httpAdmin: { post: (...all: unknown[]) => (handle = all.at(-1) as typeof handle) },
  } as unknown as NodeAPI
  addFormRoute(RED, ['account'], 'check', load)
  /** Resolves with the status of a request. */
  return (request: object) =>
    new Promise<number>((resolve) => {
      const response = { on: () => {}, set: () => {}, headersSent: false, sendStatus: resolve }
      handle({ is: () => true, params: { id: 'account' }, headers: {}, body: {}, ...request }, response)
    })
}

describe('A route of a dialog', () => {
  it('answers with status 500 and logs the cause if its module cannot be loaded', async () => {
    const logged: unknown[] = []
    const handle = handlerOf(async () => {
      throw new TypeError('out of luck')
    }, logged)
    const status = await handle({})
    assert.equal(status, 500)
    assert.match(String(logged), /out of luck/)
  })

  it('takes a body of at most 64 KB, whatever its header says, and none of many lists in lists', async () => {
    const taken: unknown[] = []
    const handle = handlerOf(async () => ({
      answer: async (_id, form, reply) => {
        taken.push(form)
        ;(reply as unknown as { sendStatus(status: number): void }).sendStatus(200)
      },
      fail: assert.fail,
    }))
    const text = (length: number) => ({ name: 'x'.repeat(length) })
    let deep: unknown[] = []
    for (let n = 0; n < 30_000; n += 1) deep = [deep]
    assert.equal(await handle({ body: text(64_000) }), 200)
    assert.equal(await handle({ body: text(66_000) }), 413)
    assert.equal(await handle({ body: { deep } }), 413)
    assert.equal(await handle({ headers: { 'content-length': '65537' } }), 413)
    assert.equal(taken.length, 1)
  })
})
