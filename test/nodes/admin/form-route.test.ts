import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { addFormRoute } from '../../../nodes/admin/form-route.ts'

describe('A route of a dialog', () => {
  it('answers with status 500 and logs the cause if its module cannot be loaded', async () => {
    let handle: (request: object, response: object) => void = () => {}
    const logged: unknown[] = []
    const RED = {
      log: { error: (line: unknown) => logged.push(line) },
      auth: { needsPermission: () => undefined },
      httpAdmin: { post: (...all: unknown[]) => (handle = all.at(-1) as typeof handle) },
    } as unknown as NodeAPI
    addFormRoute(RED, ['account'], 'check', async () => {
      throw new TypeError('out of luck')
    })
    const status = await new Promise((sendStatus) => {
      const request = { is: () => true, params: { id: 'account' }, body: {} }
      handle(request, { on: () => {}, set: () => {}, headersSent: false, sendStatus })
    })
    assert.equal(status, 500)
    assert.match(String(logged), /out of luck/)
  })
})
