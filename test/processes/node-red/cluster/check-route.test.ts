import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { AdminUsers, adminUsersCode } from '../../../../harness/node-red/admin-users.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../../harness/node-red.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import type { ClusterFinding } from '../../../../src/cluster/cluster-check.ts'

const password = 'canary-password-7Qm2'
const unchanged = '__PWRD__'

const short = (findings: readonly ClusterFinding[]) =>
  findings.map((finding) => `${finding.step} ${finding.state === 'failed' ? finding.code : finding.state}`)

describeWithRedis('The check of a cluster in a dialog of a real Node-RED with sign-in', (server) => {
  let harness: NodeRedHarness
  let users: AdminUsers
  /** A server of somebody who wants a stored password, and what reached it. */
  let stranger: Server
  let strangersAddress: string
  let reached = ''

  const route = (id: string) => `keyholder/cluster/${id}/check`
  const form = (own: object = {}) => ({
    address: server.address,
    master: '',
    clusterName: 'test',
    instance: 'one',
    ...own,
  })

  /** All that is found, having seen that no secret is in it. */
  const findings = async (id: string, body: object): Promise<ClusterFinding[]> => {
    const response = await users.post('admin', route(id), body)
    assert.equal(response.status, 200)
    const text = await response.text()
    assert.ok(!text.includes(password), text)
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  before(async () => {
    await server.restart({ args: ['--requirepass', password], appendOnly: true })
    stranger = createServer((socket) => {
      socket.on('data', (data) => {
        reached += data
        socket.destroy()
      })
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    strangersAddress = `redis://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    harness = await startNodeRedHarness({}, { code: adminUsersCode })
    const cluster = { id: 'cluster', type: 'keyholder-cluster', ...form() }
    await harness.writeFlowFile([cluster], { cluster: { username: '', password } })
    users = new AdminUsers(harness.startNodeRed().url)
  })
  after(async () => {
    stranger?.close()
    await harness?.close()
  })

  it('requires the permission to change the cluster', async () => {
    for (const user of [undefined, 'reader', 'panels'] as const) {
      const { status } = await users.post(user, route('cluster'), form({ address: strangersAddress }))
      assert.ok(status === 401 || status === 403, `${user}: ${status}`)
    }
    assert.equal(reached, '')
  })

  it('works with typed values before the first deploy, and performs the handshake', async () => {
    const done = ['server', 'version', 'memory', 'rights', 'instances'].map((step) => `${step} done`)
    const found = await findings('never-deployed', form({ password }))
    assert.deepEqual(short(found), ['server running', ...done, 'quiet notice'])
  })

  it('uses the stored password only if the field was not changed', async () => {
    assert.equal(short(await findings('cluster', form({ password: unchanged }))).at(-1), 'quiet notice')
    assert.deepEqual(short(await findings('cluster', form({ password: '' }))), [
      'server running',
      'server BAD_SETTING',
    ])
    const undeployed = await findings('never-deployed', form({ password: unchanged }))
    assert.deepEqual(short(undeployed), ['settings NOT_CONFIGURED'])
  })

  it('sends a stored password or user name only to the stored address, with the deployed CA certificate', async () => {
    const others = [
      { address: strangersAddress },
      { address: `${server.address}/1` },
      { master: 'other' },
      { caFile: '/tmp/forged.pem' },
    ]
    for (const other of others) {
      for (const own of [{ password: unchanged }, { username: unchanged, password: 'typed' }]) {
        const found = await findings('cluster', form({ ...other, ...own }))
        assert.deepEqual(short(found), ['settings BAD_SETTING'], JSON.stringify(other))
      }
    }
    assert.equal(reached, '')
  })

  it('survives any body', async () => {
    for (const body of [[], { address: {}, password: null }, { clusterName: [] }]) {
      const found = short(await findings('cluster', body)).join()
      assert.match(found, /^settings (NOT_CONFIGURED|BAD_SETTING)$/)
    }
  })
})
