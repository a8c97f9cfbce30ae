import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectInMemory } from '../../../harness/clock/memory-connections.ts'
import { until } from '../../../harness/clock/until.ts'
import { FlowHarness } from '../../../harness/flow.ts'
import { describeWithRedis, withRedis } from '../../../harness/redis-server.ts'
import {
  createSavedPart,
  readSaved,
  savedReleases,
  useHashingCostOfProduct,
} from '../../../harness/saved-release.ts'
import { requestsTo } from '../../../harness/simulator.ts'

/** The versions that recorded which zones they had bypassed. */
const withBypassRecords = ['0.2.0']

describeWithRedis('What a cluster of a release has left in Redis is loaded:', (server) => {
  const harness = new FlowHarness()
  let userDir = ''
  let restoreCost = () => {}
  before(() => {
    restoreCost = useHashingCostOfProduct()
  })
  after(() => restoreCost())
  beforeEach(async () => {
    await server.empty()
    userDir = await mkdtemp(join(tmpdir(), 'keyholder-release-'))
  })
  afterEach(async () => {
    await harness.close()
    await rm(userDir, { recursive: true, force: true, maxRetries: 10 })
  })

  /** Restores the contents; to the instances it is the server that they knew. */
  async function restore(folder: string) {
    const commands: [string, ...string[]][] = readSaved(folder, 'redis')
    await withRedis(server, async (client) => {
      for (const [command, ...values] of commands)
        await client.call(command, ...values.map((value) => Buffer.from(value, 'latin1')))
      const [, runId = ''] = /run_id:(\w+)/.exec(await client.info('server')) ?? []
      await client.hset('keyholder:{release}:server', 'run', runId)
    })
  }

  for (const release of savedReleases('cluster')) {
    const { version, folder, missed } = release
    it(`version ${version}: an event comes once, a rejected user code is not sent again, and recorded bypasses are removed`, async () => {
      await restore(folder)
      const simulator = await harness.startSimulator({ replay: release.recording })
      connectInMemory(simulator, release.port)
      const flows = release.flows.map((node) => ({
        ...node,
        ...(node.id === 'cluster' && { address: server.address }),
        ...('eventsEvery' in node && { stateEvery: 0.5, eventsEvery: 0.5 }),
      }))
      const part = createSavedPart({ ...release, flows })
      const flow = await harness.startParts([part], { settings: { userDir } })
      const told = flow.output('events').all
      assert.ok(missed.length > 0)
      await until(() => told.length >= missed.length, 'the events that nobody has delivered')
      const before = requestsTo(simulator, 'events')
      await until(() => requestsTo(simulator, 'events') >= before + 3)
      await until(() => flow.caught.all.length > 0, 'the error of the refused code')
      assert.deepEqual(
        told.map(({ payload }) => payload.id),
        missed,
      )
      assert.ok(told.every((message) => !('redelivered' in message)))
      assert.deepEqual(
        flow.caught.all.map(({ error }) => error.source.id),
        ['refused'],
      )
      assert.equal(requestsTo(simulator, 'panel/login'), 1)
      const isNamed = (line: unknown) => /were removed: they named zone 2\./.test(JSON.stringify(line))
      if (withBypassRecords.includes(version))
        await until(() => flow.logged.some(isNamed), 'the zones of the records that were removed')
      else assert.ok(!flow.logged.some(isNamed))
      const left = await withRedis(server, (client) => client.keys('*:bypasses'))
      assert.deepEqual(left, [])
    })
  }
})
