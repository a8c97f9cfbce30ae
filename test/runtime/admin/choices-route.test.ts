import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AdminUsers } from '../../../harness/node-red/admin-users.ts'
import { panelId } from '../../../harness/node-red/house-flows.ts'
import { startTabHarness, type TabHarness } from '../../../harness/tab.ts'
import type { Choices } from '../../../nodes/admin/panel-choices.ts'

const password = 'canary-password-7Qm2'
const userCode = '904672153'
const unchanged = '__PWRD__'

describe('The choices in a dialog of a real Node-RED with sign-in', function () {
  this.timeout(120_000)
  let harness: TabHarness
  let users: AdminUsers
  /** A host of somebody who wants a stored password, and how often it was reached. */
  let stranger: Server
  let strangersUrl: string
  let reached = 0

  const route = () => `keyholder/panel/${harness.id(panelId)}/choices`

  /** The form of a panel node that is deployed as it is, unless something else is typed. */
  const form = (of: string, own: object = {}, ofAccount: object = {}) => ({
    of,
    language: 'en-US',
    serial: harness.simulator.serials[0],
    userCode: unchanged,
    ...own,
    account: {
      id: harness.id('account'),
      source: 'service',
      url: harness.simulator.url,
      email: unchanged,
      password: unchanged,
      requestsPerMinute: '6000',
      ...ofAccount,
    },
  })

  /** Returns the answer, after a check that it contains no secret. */
  const choices = async (body: object, path = route()): Promise<Choices> => {
    const response = await users.post('admin', path, body)
    assert.equal(response.status, 200)
    const text = await response.text()
    for (const secret of [password, userCode, 'typed-password', '7315'])
      assert.ok(!text.includes(secret), text)
    return JSON.parse(text)
  }

  before(async () => {
    stranger = createServer((_, response) => {
      reached += 1
      response.end('{}')
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    strangersUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    harness = await startTabHarness()
    const { simulator } = harness
    simulator.accounts.setPassword(password)
    simulator.accounts.setUserCode(userCode)
    // Polled when it starts, and then no more. With warnings, the panel's own faults would be read some time later.
    const listening = [
      { id: 'state', type: 'keyholder-state' },
      { id: 'readings', type: 'keyholder-readings', kinds: 'open' },
    ]
    await harness.deployHouse(listening, { every: 3600 })
    users = harness.users
    await Promise.all([harness.messages.from('state').first(), harness.messages.from('readings').first()])
  })
  after(async () => {
    stranger?.close()
    await harness?.close()
  })

  it('cost no request if polls have read them', async () => {
    const before = harness.simulator.requests.length
    const { partitions = [], failure } = await choices(form('partitions'))
    assert.equal(failure, undefined)
    assert.deepEqual(
      partitions.filter(({ id }) => id > 0).map(({ id, name }) => [id, name]),
      [
        [1, 'House'],
        [2, 'Workshop'],
        [3, 'Garage'],
      ],
    )
    const states = partitions.find(({ id }) => id === 1)?.states
    assert.deepEqual(
      states?.map(({ name }) => name),
      ['AWAY', 'HOME', 'DISARM'],
    )
    const { devices = [] } = await choices(form('devices'))
    const window = devices.find(({ label }) => label === 'Bedroom window')
    assert.deepEqual([window?.type, window?.subtype, window?.location], ['ZONE', 'CONTACT', 'Master Bdrm'])
    assert.equal(harness.simulator.requests.length, before)
  })

  it('require the permission to change panel and account', async () => {
    const before = harness.simulator.requests.length
    const body = form('devices', { serial: 'x', userCode: 'x' })
    for (const user of [undefined, 'reader', 'panels'] as const) {
      const { status } = await users.post(user, route(), body)
      assert.ok(status === 401 || status === 403, `${user}: ${status}`)
    }
    assert.equal(harness.simulator.requests.length, before)
  })

  it('work with typed values before the first deploy', async () => {
    const [, serial] = harness.simulator.serials
    const typed = form(
      'devices',
      { serial, userCode },
      { id: 'new', email: harness.simulator.email, password },
    )
    const { devices = [] } = await choices(typed, 'keyholder/panel/new/choices')
    assert.ok(devices.some(({ location }) => location === 'Terrace door'))
    const stored = await choices(form('devices'), 'keyholder/panel/new/choices')
    assert.equal(stored.failure?.code, 'NOT_CONFIGURED')
  })

  it('contain the event texts in the language of the editor', async () => {
    for (const [language, text] of [
      ['de', 'Unscharf'],
      ['en-US', 'Disarm'],
      ['tlh', 'Disarm'],
    ]) {
      const { catalogue = [] } = await choices({ ...form('catalogue'), language })
      assert.equal(catalogue.find(({ typeId }) => typeId === 89)?.description, text, language)
    }
  })

  it('need neither serial nor user code for event types', async () => {
    const { catalogue = [], failure } = await choices(form('catalogue', { serial: '', userCode: '' }))
    assert.ok(catalogue.length > 100)
    assert.equal(failure, undefined)
  })

  it('use a stored password or code only for the stored URL', async () => {
    const typed = { email: 'me@example.com', password: 'typed-password' }
    for (const own of [{}, typed]) {
      const { failure } = await choices(form('devices', {}, { url: strangersUrl, ...own }))
      assert.equal(failure?.code, 'BAD_SETTING')
      assert.match(
        failure?.message ?? '',
        /this (password|value|user code) was stored for .+: enter it again/,
      )
    }
    assert.equal(reached, 0)
  })

  it('send a wrong user code once, however often the button is pressed', async () => {
    const before = harness.simulator.accounts.panelLogins
    for (const of of ['devices', 'partitions', 'devices']) {
      assert.equal((await choices(form(of, { userCode: '7315' }))).failure?.code, 'WRONG_USER_CODE')
    }
    assert.equal(harness.simulator.accounts.panelLogins, before + 1)
  })

  it('contain the bundled event types and the reason if the service cannot be read', async () => {
    const nobody = { url: 'http://127.0.0.1:1', email: 'me@example.com', password: 'typed-password' }
    const { catalogue = [], failure } = await choices({ ...form('catalogue', {}, nobody), language: 'de' })
    assert.equal(failure?.code, 'NETWORK')
    assert.equal(catalogue.find(({ typeId }) => typeId === 89)?.description, 'Disarm')
    assert.deepEqual(Object.keys(await choices(form('devices', { userCode }, nobody))), ['failure'])
  })

  it('are available for a panel that is offline', async () => {
    const { simulator } = harness
    const [, serial = ''] = simulator.serials
    simulator.world.panel(serial).goOffline()
    const offline = form('devices', { serial, userCode })
    const { devices = [] } = await choices(offline)
    assert.ok(devices.some(({ type }) => type === 'ZONE'))
    const { partitions = [] } = await choices({ ...offline, of: 'partitions' })
    assert.deepEqual(
      partitions.map(({ id, name }) => [id, name]),
      [[-1, 'ALL']],
    )
  })

  it('are available for the demo, also before its deploy', async () => {
    const demo = form('partitions', { serial: '', userCode: '' }, { id: 'new', source: 'demo' })
    const { partitions = [] } = await choices(demo, 'keyholder/panel/new/choices')
    assert.ok(partitions.some(({ name }) => name === 'House'))
  })

  it('are known without a request, as far as the deployed panel has read them', async () => {
    const before = harness.simulator.requests.length
    const known = (of: string, id = harness.id(panelId)) =>
      choices({ of, language: 'de' }, `keyholder/panel/${id}/known`)
    const { devices = [] } = await known('devices')
    assert.ok(devices.some(({ label }) => label === 'Bedroom window'))
    const { partitions = [] } = await known('partitions')
    assert.ok(partitions.some(({ name }) => name === 'Workshop'))
    assert.deepEqual(await known('devices', 'new'), {})
    const { catalogue = [] } = await known('catalogue', 'new')
    assert.equal(catalogue.find(({ typeId }) => typeId === 89)?.description, 'Disarm')
    assert.equal(harness.simulator.requests.length, before)
    const { status } = await users.post('reader', `keyholder/panel/${harness.id(panelId)}/known`, {
      of: 'devices',
    })
    assert.ok(status === 401 || status === 403)
  })

  it('survive any body', async () => {
    for (const body of [
      [],
      { of: 'devices' },
      { of: {}, account: 7 },
      { of: 'catalogue', language: { a: 1 } },
    ]) {
      const { failure } = await choices(body)
      assert.match(failure?.code ?? '', /^(NOT_CONFIGURED|BAD_SETTING)$/)
    }
    await harness.get('settings')
  })
})
