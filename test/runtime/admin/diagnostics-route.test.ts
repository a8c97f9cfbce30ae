import assert from 'node:assert/strict'
import { plantSecrets } from '../../../harness/fixtures/planted-secrets.ts'
import { secretsIn } from '../../../harness/fixtures/private-data.ts'
import type { AdminUsers } from '../../../harness/node-red/admin-users.ts'
import { panelId } from '../../../harness/node-red/house-flows.ts'
import { startTabHarness, type TabHarness } from '../../../harness/tab.ts'
import type { Line } from '../../../nodes/admin/check-stream.ts'
import type { DiagnosticsFile } from '../../../src/messages/diagnostics-file.ts'
import { parseTrace } from '../../../src/simulator/trace-replay.ts'

const password = 'canary-password-7Qm2'
const userCode = '904672153'
const unchanged = '__PWRD__'

describe('The diagnostics in a dialog of a real Node-RED with sign-in', function () {
  this.timeout(120_000)
  let harness: TabHarness
  let users: AdminUsers

  const route = () => `keyholder/panel/${harness.id(panelId)}/diagnostics`
  const form = (own: object = {}) => ({
    serial: harness.simulator.serials[0],
    userCode: unchanged,
    account: {
      id: harness.id('account'),
      source: 'service',
      url: harness.simulator.url,
      email: unchanged,
      password: unchanged,
      requestsPerMinute: '6000',
    },
    ...own,
  })

  const lines = async (body: object, path = route()): Promise<{ text: string; lines: Line[] }> => {
    const response = await users.post('admin', path, body)
    assert.equal(response.status, 200)
    const text = await response.text()
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { text, lines }
  }
  const fileIn = (found: readonly Line[]): DiagnosticsFile => {
    const last = found.at(-1)
    assert.ok(last !== undefined && 'file' in last, JSON.stringify(last))
    return last.file
  }

  before(async () => {
    harness = await startTabHarness()
    harness.simulator.accounts.setPassword(password)
    harness.simulator.accounts.setUserCode(userCode)
    await harness.deployHouse([{ id: 'readings', type: 'keyholder-readings' }], { every: 3600 })
    users = harness.users
    await harness.messages.from('readings').first()
  })
  after(() => harness?.close())

  it('report each operation, and then the file', async () => {
    const found = (await lines(form())).lines
    const running = found.flatMap((line) => ('operation' in line ? [line] : []))
    assert.deepEqual(running[0], {
      step: 'diagnostics',
      state: 'running',
      operation: 'session',
      number: 1,
      of: running.length,
    })
    const file = fileIn(found)
    assert.equal(file.health.status, 'ok')
    assert.equal(file.health.panel?.polls.devices.failures, 0)
    assert.match(file.versions.nodeRed, /^\d+\./)
    assert.ok(file.requests.some(({ operation }) => operation === 'devices'))
    for (const [name, answer] of Object.entries(file.answers)) assert.ok('answer' in answer, name)
  })

  it('contain no secret, also those that the service puts into its answers', async () => {
    const { url, email, serials } = harness.simulator
    const end = harness.simulator.faults.start(plantSecrets(7, 0.4))
    const { text } = await lines(form())
    end()
    assert.deepEqual(secretsIn(text), [])
    for (const secret of [password, userCode, email, new URL(url).host, ...serials, 'Anna', 'Front door'])
      assert.ok(!text.includes(secret), secret)
  })

  it('work before the first deploy, without a health of the panel', async () => {
    const { url, email } = harness.simulator
    const account = { id: 'new', source: 'service', url, email, password, requestsPerMinute: '6000' }
    const found = (await lines(form({ account, userCode }), 'keyholder/panel/new/diagnostics')).lines
    assert.equal(fileIn(found).health.panel, null)
  })

  it('end with the reason if the settings do not fit', async () => {
    const wrong = (await lines(form({ serial: 'ZZZ999' }))).lines.at(-1)
    assert.ok(wrong?.state === 'failed')
    assert.deepEqual([wrong.step, wrong.code], ['diagnostics', 'BAD_SETTING'])
    const stored = (await lines(form({ userCode: '' }))).lines.at(-1)
    assert.ok(stored?.state === 'failed')
    assert.deepEqual([stored.step, stored.code], ['settings', 'NOT_CONFIGURED'])
  })

  describe('with a trace', () => {
    const act = async (action: string) => {
      const response = await users.post('admin', `keyholder/panel/${harness.id(panelId)}/trace`, { action })
      assert.equal(response.status, 200)
      const text = await response.text()
      return { text, found: action === 'file' ? undefined : JSON.parse(text) }
    }
    afterEach(() => act('discard'))

    it('record the answers to the requests of the nodes, and make none', async () => {
      assert.equal((await act('look')).found.state, 'none')
      assert.equal((await act('start')).found.state, 'recording')
      const before = harness.simulator.requests.length
      assert.equal((await act('look')).found.requests, 0)
      assert.equal(harness.simulator.requests.length, before)
      await lines(form())
      const { found } = await act('stop')
      assert.deepEqual([found.state, found.ended], ['ended', 'stopped'])
      assert.ok(found.requests > 10)
      const trace = parseTrace((await act('file')).text)
      assert.ok(trace.answers.some(({ operation }) => operation === 'devices'))
      assert.equal((await act('discard')).found.state, 'none')
    })

    it('have no secret in it', async () => {
      const { url, email, serials } = harness.simulator
      await act('start')
      const end = harness.simulator.faults.start(plantSecrets(8, 0.4))
      await lines(form())
      end()
      const { text } = await act('file')
      assert.ok(text.length > 10_000)
      assert.deepEqual(secretsIn(text), [])
      for (const secret of [password, userCode, email, new URL(url).host, ...serials, 'Anna', 'Front door'])
        assert.ok(!text.includes(secret), secret)
    })

    it('survive a deploy, as the sign-in does', async () => {
      await act('start')
      await harness.deployHouse([{ id: 'readings', type: 'keyholder-readings' }], { every: 1800 })
      await lines(form())
      const { found } = await act('look')
      assert.equal(found.state, 'recording')
      assert.ok(found.requests > 0)
    })

    it('need a deployed panel', async () => {
      const response = await users.post('admin', 'keyholder/panel/new/trace', { action: 'start' })
      assert.deepEqual(await response.json(), { state: 'undeployed' })
    })

    it('require the permission to change panel and account', async () => {
      for (const user of [undefined, 'reader', 'panels'] as const) {
        const { status } = await users.post(user, `keyholder/panel/${harness.id(panelId)}/trace`, {
          action: 'file',
        })
        assert.ok(status === 401 || status === 403, `${user}: ${status}`)
      }
    })
  })

  it('require the permission to change panel and account', async () => {
    const before = harness.simulator.requests.length
    for (const user of [undefined, 'reader', 'panels'] as const) {
      const { status } = await users.post(user, route(), form())
      assert.ok(status === 401 || status === 403, `${user}: ${status}`)
    }
    assert.equal(harness.simulator.requests.length, before)
  })
})
