import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { type AdminRoute, routesPath } from '../../../harness/node-red/admin-routes.ts'
import type { AdminUser } from '../../../harness/node-red/admin-users.ts'
import { panelId } from '../../../harness/node-red/house-flows.ts'
import { NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import { sharedCode } from '../../../harness/node-red/shared-node-red.ts'
import {
  fillUserDirectory,
  removeDirectory,
  temporaryDirectory,
} from '../../../harness/node-red/user-directory.ts'
import { startTabHarness, type TabHarness } from '../../../harness/tab.ts'

const password = 'canary-password-7Qm2'
const userCode = '904672153'

/** The fields in which a caller can name a host, all set to this one. */
const hostFields = [
  'url',
  'uri',
  'host',
  'hostname',
  'address',
  'server',
  'service',
  'base',
  'target',
  'account',
  'source',
]

describe('The admin routes of a real Node-RED with sign-in', function () {
  this.timeout(120_000)
  let harness: TabHarness
  let palette: AdminRoute[]
  let core: AdminRoute[]

  const call = async (user: AdminUser, method: string, path: string, body?: object) => {
    const json = { Accept: 'application/json', 'Content-Type': 'application/json' }
    const headers = { ...json, ...(await harness.users.authorization(user)) }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(new URL(path.replace(/^\//, ''), harness.url), init)
    return { status: response.status, text: await response.text() }
  }

  before(async () => {
    harness = await startTabHarness()
    const { simulator } = harness
    simulator.accounts.setPassword(password)
    for (const panel of simulator.world.panels) simulator.accounts.codes.set(panel, 1, userCode)
    // Polled so seldom that any other request is seen.
    await harness.deployHouse([{ id: 'state', type: 'keyholder-state' }], { every: 3600 })
    await harness.messages.from('state').first()

    const plainDirectory = await temporaryDirectory()
    await fillUserDirectory(plainDirectory, { code: sharedCode })
    const plain = new NodeRedProcess(plainDirectory)
    try {
      core = await plain.get<AdminRoute[]>(routesPath)
    } finally {
      await plain.kill()
      await removeDirectory(plainDirectory)
    }
    const left = core.map((route) => JSON.stringify(route))
    palette = (await harness.get<AdminRoute[]>(routesPath)).filter((route) => {
      const at = left.indexOf(JSON.stringify(route))
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
  })
  after(() => harness?.close())

  /** A path with real ids in the place of what varies. */
  const filled = (path: string, value = harness.id('account')) =>
    path.replace(/:\w+(\([^)]*\))?[?*+]?/g, value).replace(/\*/g, value)

  it('are all found, because the routes of core nodes are', () => {
    assert.ok(core.some(({ method, path }) => method === 'POST' && path === '/inject/:id'))
  })

  it('of the palette have a method, and none of them shadows other routes', () => {
    assert.deepEqual(
      palette.filter(({ method }) => method === 'USE'),
      [],
    )
  })

  it('of the palette reject requests without sign-in', async () => {
    for (const { method, path } of palette) {
      const { status } = await call(undefined, method, filled(path), method === 'GET' ? undefined : {})
      assert.equal(status, 401, `${method} ${path}`)
    }
  })

  it('of the palette do nothing for a user with read access, and send the service no request', async () => {
    for (const { method, path } of palette) {
      const before = harness.simulator.requests.length
      const { status } = await call('reader', method, filled(path), method === 'GET' ? undefined : {})
      if (method !== 'GET') assert.ok(status === 401 || status === 403, `${method} ${path}: ${status}`)
      if (status >= 300) continue
      assert.deepEqual(harness.simulator.requests.slice(before), [], `${method} ${path}`)
    }
  })

  it('of the palette contact no host that the caller names', async () => {
    let connections = 0
    const canary = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    try {
      const host = `127.0.0.1:${(canary.address() as AddressInfo).port}`
      const values = [host, `http://${host}`, `https://${host}/rest_api`]
      for (const { method, path } of palette) {
        // A server needs no password, so its check has nothing else to ask for. It never sends it a stored one.
        if (path === '/keyholder/cluster/:id/check') continue
        for (const value of values) {
          const named = Object.fromEntries(hostFields.map((field) => [field, value]))
          const query = new URLSearchParams(named)
          const body = method === 'GET' ? undefined : { ...named, settings: named, credentials: named }
          for (const place of [filled(path), filled(path, encodeURIComponent(value))]) {
            await call('admin', method, `${place}?${query}`, body)
          }
        }
      }
      assert.equal(connections, 0)
    } finally {
      canary.close()
    }
  })

  it('show no password and no user code, and nothing at all without sign-in', async () => {
    const places = [
      `credentials/keyholder-account/${harness.id('account')}`,
      `credentials/keyholder-panel/${harness.id(panelId)}`,
      'flows',
      `flow/${harness.id('tab')}`,
      'flow/global',
      'nodes',
      'settings',
      'settings/user',
      'diagnostics',
      'context/global',
      `context/node/${harness.id('state')}`,
    ]
    for (const place of [...places, ...palette.filter(isRead).map(({ path }) => filled(path))]) {
      assert.equal((await call(undefined, 'GET', place)).status === 200 && place !== 'settings', false, place)
      for (const user of ['admin', 'reader'] as const) {
        const { text } = await call(user, 'GET', place)
        for (const secret of [password, userCode]) assert.ok(!text.includes(secret), `${place} for ${user}`)
      }
    }
    const shown = async (place: string) => JSON.parse((await call('admin', 'GET', place)).text)
    assert.deepEqual(await shown(`credentials/keyholder-panel/${harness.id(panelId)}`), {
      has_userCode: true,
      has_storedFor: false,
    })
    assert.deepEqual(await shown(`credentials/keyholder-account/${harness.id('account')}`), {
      email: harness.simulator.email,
      has_password: true,
      has_storedFor: false,
    })
  })
})

function isRead({ method }: AdminRoute): boolean {
  return method === 'GET'
}
