import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import { until } from '../../../harness/clock/until.ts'
import { type AdminUser, AdminUsers, adminUsersCode } from '../../../harness/node-red/admin-users.ts'
import type { NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import { type FlowNode, withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'
import { visit } from '../../../harness/visit.ts'

const json = { 'Content-Type': 'application/json' }
const speed = JSON.stringify({ speed: 5 })

/** An account with the demo, and a node that uses it. */
const demoInUse = (id: string, name: string): FlowNode[] => [
  accountNode(id, { name }),
  panelNode(`panel of ${id}`, { account: id }),
  { id: `state of ${id}`, type: 'keyholder-state', z: 'tab', panel: `panel of ${id}`, wires: [[]] },
]

const flows: FlowNode[] = [
  { id: 'tab', type: 'tab', label: 'Demos' },
  ...demoInUse('ours', 'Our\nhouse'),
  ...demoInUse('other', ''),
  accountNode('unused'),
  accountNode('ofService', { source: 'service', url: 'https://alarm.invalid' }),
]

/** Node-RED with two running demos. */
class Site {
  harness: NodeRedHarness
  nodeRed: NodeRedProcess
  /** The URL of the console pages, without the id of an account. */
  base: string

  private constructor(harness: NodeRedHarness, nodeRed: NodeRedProcess, base: string) {
    this.harness = harness
    this.nodeRed = nodeRed
    this.base = base
  }

  static async start(settings: object, code: string): Promise<Site> {
    const harness = await startNodeRedHarness({}, { settings: { ...settings }, code, hasEditor: true })
    await harness.writeFlowFile(withRecorder(flows, harness.messages.url))
    const nodeRed = harness.startNodeRed()
    await Promise.all(['ours', 'other'].map((id) => harness.messages.from(`state of ${id}`).first()))
    return new Site(harness, nodeRed, new URL('keyholder/demo/', await nodeRed.url).href)
  }

  get = (path: string, headers = {}) => visit(this.base + path, 'GET', headers)

  act = (path: string, headers = {}, body = speed) =>
    visit(this.base + path, 'POST', { ...json, ...headers }, body)

  /** Sends an action as a browser does that does not send `Sec-Fetch-Site`. */
  actAsPage = (path: string, headers = {}, body = speed) =>
    this.act(path, { Origin: new URL(this.base).origin, ...headers }, body)
}

/** Returns all paths of the page, following its links as a browser does. */
async function pathsOf(site: Site, id: string, headers: object): Promise<string[]> {
  const seen = new Set([`${site.base}${id}/`])
  for (const url of seen) {
    const { status, text } = await visit(url, 'GET', headers)
    assert.equal(status, 200, url)
    for (const [, link, module] of text.matchAll(/(?:src|href)="([^"]+)"|from '(\.\/[^']+)'/g))
      seen.add(new URL(link ?? module ?? '', url).href)
  }
  return [...seen].map((url) => url.slice(site.base.length))
}

describe('The console of a demo below a Node-RED with sign-in and another root', function () {
  this.timeout(120_000)
  let site: Site
  let users: AdminUsers

  const open = (user: AdminUser, id: string) => users.post(user, `keyholder/demo/${id}/open`, {})
  /** The headers of a browser in which this user has opened the console. */
  const cookieFor = async (user: AdminUser, id: string) => {
    const response = await open(user, id)
    assert.equal(response.status, 200)
    return { Cookie: response.headers.get('Set-Cookie')?.split(';')[0] ?? assert.fail('no cookie') }
  }

  before(async () => {
    site = await Site.start({ httpAdminRoot: '/red/' }, adminUsersCode)
    users = new AdminUsers(site.nodeRed.url)
  })
  after(() => site?.harness.close())

  it('opens in a browser after an authorized request, with all its files, data and actions', async () => {
    const cookie = await cookieFor('admin', 'ours')
    const paths = await pathsOf(site, 'ours', cookie)
    assert.equal(paths.length, 11)
    assert.ok(paths.every((path) => path.startsWith('ours/')))
    const { headers } = await site.get('ours/', cookie)
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors 'none'/)
    assert.equal(headers['cache-control'], 'no-store')
    const { body } = await site.actAsPage('ours/console/speed', cookie)
    assert.equal(body.done, true)
    assert.equal((await site.get('ours/console/state', cookie)).body.speed, 5)
    assert.equal((await site.get('other/console/state', await cookieFor('admin', 'other'))).body.speed, 1)
  })

  it('gives a cookie that only this browser sends, and only below the address of this console', async () => {
    const { headers } = await open('admin', 'ours')
    const cookie = headers.get('Set-Cookie') ?? ''
    assert.match(cookie, /; HttpOnly; SameSite=Strict$/)
    // Without a path, browsers limit it to the folder of the request, also behind a proxy.
    assert.doesNotMatch(cookie, /path|domain/i)
  })

  it('adds the slash that its links need', async () => {
    const cookie = await cookieFor('admin', 'ours')
    const { status, headers } = await site.get('ours', cookie)
    assert.deepEqual([status, headers.location], [302, 'ours/'])
  })

  it('requires the permission to change accounts', async () => {
    for (const user of [undefined, 'reader', 'panels'] as const) {
      const authorization = await users.authorization(user)
      const answers = [
        await site.act('ours/open', authorization, '{}'),
        await site.get('ours', authorization),
        await site.get('ours/', authorization),
        await site.get('ours/console/main.mjs', authorization),
        await site.get('ours/console/state', authorization),
        await site.get('unknown/', authorization),
        await site.actAsPage('ours/console/speed', authorization),
      ]
      for (const { status, headers, text } of answers) {
        assert.equal(status, 401, user)
        assert.equal(headers['set-cookie'], undefined)
        assert.doesNotMatch(text, /console|demo/i)
      }
    }
  })

  it('accepts a cookie only for its account', async () => {
    const cookie = await cookieFor('admin', 'other')
    for (const path of ['ours', 'ours/', 'ours/console/state', 'ours/console/main.mjs', 'ofService/'])
      assert.equal((await site.get(path, cookie)).status, 401, path)
    assert.equal((await site.actAsPage('ours/console/speed', cookie)).status, 401)
    assert.equal((await site.act('other/open', cookie, '{}')).status, 401)
    for (const path of ['flows', 'settings', 'credentials/keyholder-account/other'])
      assert.equal((await visit(new URL(path, await site.nodeRed.url).href, 'GET', cookie)).status, 401, path)
  })

  it('accepts actions only from its own page', async () => {
    const cookie = await cookieFor('admin', 'other')
    const { origin, host } = new URL(site.base)
    const act = async (headers: object) => {
      const { status } = await site.act('other/console/speed', { ...cookie, ...headers })
      return status
    }
    for (const Origin of ['https://evil.example', 'null', '', 'http://127.0.0.1:1', `${origin}.evil.example`])
      assert.equal(await act({ Origin }), 403, Origin)
    for (const site of ['cross-site', 'same-site', 'none'])
      assert.equal(await act({ Origin: origin, 'Sec-Fetch-Site': site }), 403, site)
    assert.equal(await act({}), 403)
    assert.equal(await act({ Origin: origin, 'Content-Type': 'text/plain' }), 415)
    const large = JSON.stringify({ speed: 2, more: 'x'.repeat(70_000) })
    assert.equal((await site.act('other/console/speed', { ...cookie, Origin: origin }, large)).status, 413)
    assert.equal((await site.get('other/console/state', cookie)).body.speed, 1)
    // A proxy may change the host.
    const behindProxy = { Origin: 'https://home.example', Host: host, 'Sec-Fetch-Site': 'same-origin' }
    assert.equal(await act(behindProxy), 200)
  })

  it('leads to nothing else of the demo, neither to its service nor to files', async () => {
    const authorization = await users.authorization('admin')
    const cookie = await cookieFor('admin', 'ours')
    for (const path of [
      'rest_api/version',
      'console/rest_api/version',
      'console/..%2Frest_api%2Fversion',
      'console/%2Frest_api%2Fversion',
      'console/..%2Findex.html',
      'console/__proto__',
      'console/',
      'nothing',
    ]) {
      for (const headers of [authorization, cookie]) {
        assert.equal((await site.get(`ours/${path}`, headers)).status, 404, path)
        const { status } = await site.actAsPage(`ours/${path}`, headers, '{}')
        assert.ok(status === 404 || status === 405, `${path}: ${status}`)
      }
    }
  })

  it('says why an account has no console', async () => {
    const authorization = await users.authorization('admin')
    for (const [id, reason, sentence] of [
      ['ofService', 'notDeployed', /^This account has no demo panel\. .* select Demo panel as the Source/],
      ['unknown', 'notDeployed', /^This account has no demo panel/],
      ['panel of ours', 'notDeployed', /^This account has no demo panel/],
      ['unused', 'notUsed', /^The demo panel of this account does not run, because no node uses it\. Add/],
    ] as const) {
      const path = encodeURIComponent(id)
      const { status, text } = await site.get(`${path}/`, authorization)
      assert.equal(status, 404)
      assert.match(text, sentence)
      const opened = await site.act(`${path}/open`, authorization, '{}')
      assert.equal(opened.status, 404)
      assert.equal(opened.body.reason, reason)
      assert.match(opened.body.message, sentence)
      assert.equal(opened.headers['set-cookie'], undefined)
      assert.match((await site.get(`${path}/console/state`, authorization)).body.message, sentence)
    }
  })

  it('is in the log with the name of its account', () => {
    const lines = site.nodeRed.output.match(/Demo panel console of .*/g)
    assert.deepEqual(lines?.map((line) => line.replace(/\d+/g, 'N')).toSorted(), [
      'Demo panel console of Our house: http://N.N.N.N:N/',
      'Demo panel console of other: http://N.N.N.N:N/',
    ])
  })

  it('ends with the demo, and a cookie of the old one does not open the new one', async () => {
    const cookie = await cookieFor('admin', 'ours')
    const restarted = () => (site.nodeRed.output.match(/Demo panel console of Our house/g) ?? []).length
    const without = flows.filter(({ id }) => !/ours/.test(id))
    await users.post('admin', 'flows', withRecorder(without, site.harness.messages.url))
    const authorization = await users.authorization('admin')
    assert.equal((await site.get('ours/', authorization)).status, 404)
    assert.equal((await site.get('ours/', cookie)).status, 401)
    await users.post('admin', 'flows', withRecorder(flows, site.harness.messages.url))
    await until(() => restarted() === 2, 'the demo to start again')
    assert.equal((await site.get('ours/', cookie)).status, 401)
    assert.equal((await site.get('ours/', await cookieFor('admin', 'ours'))).status, 200)
  })
})

describe('The console of a demo below a Node-RED without sign-in', function () {
  this.timeout(120_000)
  let site: Site

  before(async () => {
    site = await Site.start({}, '')
  })
  after(() => site?.harness.close())

  it('opens by its address', async () => {
    assert.equal((await pathsOf(site, 'ours', {})).length, 11)
    assert.equal((await site.actAsPage('ours/console/speed')).status, 200)
    assert.equal((await site.get('ours/console/state')).body.speed, 5)
  })

  it('accepts no action from another page', async () => {
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }, {}])
      assert.equal((await site.act('other/console/speed', headers)).status, 403)
    assert.equal((await site.get('other/console/state')).body.speed, 1)
  })

  it('refuses a wrong action with one sentence', async () => {
    const { status, body } = await site.actAsPage('ours/console/speed', {}, '{"speed":-1}')
    assert.equal(status, 400)
    assert.equal(typeof body.message, 'string')
    assert.equal((await site.actAsPage('ours/console/speed', {}, '[]')).status, 400)
    assert.ok(site.nodeRed.isRunning)
  })
})
