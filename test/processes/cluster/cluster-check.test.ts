import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../../harness/clock/until.ts'
import {
  assertWorks,
  ClusterInstances,
  lastingTimes,
  shortTimes,
  waitOfFull,
} from '../../../harness/cluster/cluster-instances.ts'
import { advanceSharedClock, connectScripts } from '../../../harness/cluster/connected-scripts.ts'
import { describeWithRedis, findFreePort } from '../../../harness/redis-server.ts'
import { systemClock } from '../../../src/clock.ts'
import { Cluster } from '../../../src/cluster/cluster.ts'
import {
  aclLine,
  type ClusterCheckOptions,
  type ClusterFinding,
  checkCluster,
  type SeenInstance,
} from '../../../src/cluster/cluster-check.ts'
import { clusterSettings } from '../../../src/cluster/cluster-settings.ts'
import { usedCommands } from '../../../src/cluster/lua/check.lua.ts'
import { Connection } from '../../../src/cluster/redis/connection.ts'
import type { RawSettings } from '../../../src/settings.ts'

const secret = 'Canary-Redis-7'
const allDone = ['server done', 'version done', 'memory done', 'rights done', 'instances done']

const short = (findings: readonly ClusterFinding[]) =>
  findings.flatMap((finding) => (finding.state === 'running' ? [] : [`${finding.step} ${finding.state}`]))

describeWithRedis('The check of a cluster', (server) => {
  const instances = new ClusterInstances(server)

  async function check(raw: RawSettings = {}, options: Partial<ClusterCheckOptions> = {}) {
    const settings = clusterSettings({
      address: server.address,
      clusterName: 'test',
      instance: 'here',
      ...raw,
    })
    const given = { clock: systemClock, signal: new AbortController().signal, ownSession: 0 }
    const found: ClusterFinding[] = []
    const quiet = shortTimes.quiet
    for await (const finding of checkCluster(settings, { ...given, quiet, ...options })) found.push(finding)
    assert.ok(!JSON.stringify(found).includes(secret))
    return found
  }

  /** The last finding, as a dialog gets it: step, text and fields. */
  async function failure(raw: RawSettings = {}, options: Partial<ClusterCheckOptions> = {}) {
    const found = await check(raw, options)
    const last = found.at(-1)
    assert.ok(last?.state === 'failed', JSON.stringify(found))
    return [last.step, last.text, ...last.fields].join(' ')
  }

  /** Sends commands as the administrator of the server. */
  async function administer(...commands: [string, string[]][]): Promise<void> {
    const connection = new Connection(clusterSettings({ address: server.address }), {
      clock: systemClock,
      handshake: async (sender) => {
        for (const [command, args] of commands) await sender.send(command, args)
      },
      onChange: () => {},
    })
    connection.open()
    await until(() => connection.isOpen || connection.failure !== undefined)
    assert.equal(connection.failure, undefined)
    connection.close()
  }

  beforeEach(() => server.restart({ appendOnly: true }))
  afterEach(() => instances.close())

  it('warns that two servers may be in charge, with Sentinels and without min-replicas-to-write', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyholder-sentinel-'))
    const port = await findFreePort()
    const file = join(folder, 'sentinel.conf')
    writeFileSync(file, `port ${port}\nsentinel monitor mymaster 127.0.0.1 ${server.port} 1\n`)
    const sentinel = spawn(server.program, [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      let log = ''
      sentinel.stdout.on('data', (text) => {
        log += text
      })
      await until(() => log.includes('+monitor master'))
      const address = `127.0.0.1:${port}`
      const found = await check({ address })
      assert.deepEqual(short(found), [...allDone.slice(0, 3), 'replicas notice', ...allDone.slice(3)])
      assert.ok(found.some((finding) => finding.state === 'notice' && finding.notice === 'splits'))
      assert.deepEqual(short(await check()), allDone, 'without Sentinels, nobody puts another one in charge')
      await server.restart({ appendOnly: true, args: ['--min-replicas-to-write', '1'] })
      assert.match(await failure({ address }), /^server cluster\.finding\.unreachable/, 'it has no replica')
    } finally {
      const ended = new Promise((resolve) => sentinel.once('exit', resolve))
      sentinel.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('shows that the server is reached, its version, what it keeps, the rights, and who is there', async () => {
    const { cluster } = await instances.add('there')
    const found = await check()
    assert.deepEqual(short(found), allDone)
    assert.deepEqual(found[0], { step: 'server', state: 'running' })
    const [, reached, version, , , others] = found as (ClusterFinding & Record<string, unknown>)[]
    assert.equal(`redis://${reached?.host}`, server.address)
    assert.match(`${version?.version}`, /^(Redis|Valkey) \d+\.\d+\.\d+$/)
    const [there] = (others?.instances ?? []) as SeenInstance[]
    assert.deepEqual([there?.name, there?.isOwn], ['there', false])
    assert.ok(there && there.seconds >= 0 && there.seconds < 60, `${there?.seconds}`)
    assert.equal(cluster.status.state, 'connected')
  })

  it('does not join the cluster, and leaves nothing of its own on the server', async () => {
    await check()
    const { cluster } = await instances.add('there')
    await until(() => cluster.status.instances.length > 0)
    assert.deepEqual(cluster.status.instances, ['there'])
    let keys: unknown
    const connection = new Connection(clusterSettings({ address: server.address }), {
      clock: systemClock,
      handshake: async (sender) => {
        keys = await sender.send('EXISTS', ['keyholder:{test}:check'])
      },
      onChange: () => {},
    })
    connection.open()
    await until(() => connection.isOpen)
    connection.close()
    assert.equal(keys, 0)
  })

  it('warns if the name of the instance is that of a live one, but not of the checked node itself', async () => {
    const { cluster } = await instances.add('here')
    const warned = (await check()).at(-1)
    assert.ok(warned?.state === 'notice')
    assert.deepEqual([warned.step, warned.notice, warned.values], ['instances', 'sameName', { name: 'here' }])
    const own = await check({}, { ownSession: cluster.session })
    assert.deepEqual(short(own), allDone)
    await instances.add('here')
    assert.equal(short(await check({}, { ownSession: cluster.session })).at(-1), 'instances notice')
  })

  it('begins the pause of a server that knows nothing, and shows what is left of it', async () => {
    await server.restart({})
    const quiet = { blank: 72_000, other: 0 }
    const left = async () => {
      const last = (await check({}, { quiet })).at(-1)
      assert.ok(last?.state === 'notice' && last.notice === 'quiet')
      return Number(last.values?.seconds)
    }
    const first = await left()
    assert.ok(first > 60 && first <= 72, `${first}`)
    const { scripts, close } = await connectScripts(server, { quiet })
    await advanceSharedClock({ scripts }, 10_000)
    close()
    assert.ok((await left()) <= 62)
    // An instance that starts later waits only for the rest.
    const settings = clusterSettings({ address: server.address, clusterName: 'test', instance: 'one' })
    const cluster = new Cluster(settings, { clock: systemClock, times: { ...lastingTimes, quiet } })
    cluster.open()
    await until(() => cluster.status.state === 'connected')
    const { rateLimits } = cluster.userStores('user')
    const rest = await waitOfFull(rateLimits, 'command')
    await cluster.close()
    assert.ok(rest <= 62_000, `${rest}`)
  })

  it('has a notice for a server that forgets at a restart, and refuses one that may evict', async () => {
    await server.restart({ appendOnly: false })
    assert.equal(short(await check())[2], 'memory notice')
    await server.restart({ args: ['--maxmemory-policy', 'volatile-lru'], appendOnly: true })
    assert.deepEqual(short(await check()), allDone)
    await server.restart({ args: ['--maxmemory-policy', 'allkeys-lru'] })
    assert.equal(await failure(), 'memory cluster.finding.evicting')
    await server.restart({ args: [] })
  })

  it('names what is wrong and its field', async () => {
    const nowhere = `redis://127.0.0.1:${await findFreePort()}`
    assert.equal(await failure({ address: nowhere }), 'server cluster.finding.unreachable cluster.address')
    const { address } = server
    assert.equal(
      await failure({ address: `${address}/99` }),
      'server cluster.finding.noDatabase cluster.address',
    )
    const tls = address.replace('redis:', 'rediss:')
    assert.match(
      await failure({ address: tls }),
      /^server cluster\.finding\.(noTls|unreachable) cluster\.address$/,
    )
    const caFile = await failure({ address: tls, caFile: '/nowhere.pem' })
    assert.equal(caFile, 'settings finding.caFile cluster.caFile')
    const rejected = await failure({ password: secret })
    assert.equal(rejected, 'server cluster.finding.passwordRejected cluster.password cluster.username')
    await server.restart({ args: ['--requirepass', secret] })
    assert.equal(await failure(), 'server cluster.finding.passwordMissing cluster.password')
    assert.equal(short(await check({ password: secret })).at(-1), 'instances done')
    await server.restart({ args: [] })
  })

  it('says what to install if the package ioredis is missing', async () => {
    const load = () => Promise.reject(new Error('not found'))
    assert.equal(await failure({}, { load }), 'settings cluster.finding.noPackage')
  })

  it('ends without a further finding when its caller leaves', async () => {
    const life = new AbortController()
    server.pause()
    setImmediate(() => life.abort())
    assert.deepEqual(short(await check({}, { signal: life.signal })), [])
    server.resume()
  })

  describe('of a user with limited rights', () => {
    const app = { username: 'app', password: secret }
    const line = (raw: RawSettings = {}) =>
      aclLine(clusterSettings({ address: 'redis://nas', clusterName: 'test', ...app, ...raw }))
    const [command = '', ...rights] = line().split(' ')

    it('knows each command that a script or a store uses', () => {
      const folder = new URL('../../../src/cluster/lua/', import.meta.url)
      const sources = readdirSync(folder)
        .filter((file) => /lua\.ts$/.test(file) && !file.endsWith('.d.ts') && file !== 'check.lua.ts')
        .map((file) => readFileSync(new URL(file, folder), 'utf8'))
      const stores = new URL('../stores/', folder)
      for (const file of readdirSync(stores).filter((one) => one.endsWith('.js')))
        sources.push(readFileSync(new URL(file, stores), 'utf8'))
      const calls = /redis\.p?call\((?:'([A-Z]+)')?|\.send\('([A-Z]+)'/g
      const called = sources.flatMap((source) => [...source.matchAll(calls)])
      const names = called.map(
        ([, inScript, alone]) => inScript ?? alone ?? assert.fail('a command without a name'),
      )
      assert.deepEqual([...new Set(names)].toSorted(), usedCommands.toSorted())
    })

    it('passes with the rights that the failed check tells, and a cluster works with them', async () => {
      await administer(['ACL', ['SETUSER', 'app', 'on', `>${secret}`]])
      const found = (await check(app)).at(-1)
      assert.ok(found?.state === 'failed' && found.text === 'cluster.finding.rights')
      assert.equal(found.command, line())
      await administer([command, rights])
      assert.deepEqual(short(await check(app)), allDone)
      const settings = clusterSettings({
        address: server.address,
        clusterName: 'test',
        instance: 'one',
        ...app,
      })
      const cluster = new Cluster(settings, { clock: systemClock, times: shortTimes })
      cluster.open()
      await assertWorks(cluster)
      await cluster.close()
    })

    it('fails if any of these rights is missing', async () => {
      for (const [index, right] of rights.entries()) {
        if (!/^[~+]/.test(right)) continue
        const others = rights.slice(2).filter((_, at) => at + 2 !== index)
        await administer(['ACL', ['SETUSER', 'app', 'reset', 'on', `>${secret}`, ...others]])
        // The digest of a script that is known is enough: the server is asked with its source only if it is not.
        if (right === '+eval') continue
        assert.equal(await failure(app), 'rights cluster.finding.rights cluster.username', right)
      }
    })

    it('names the database and the cluster', () => {
      assert.ok(line({ address: 'redis://nas/1' }).includes('+select'))
      assert.ok(line({ clusterName: 'home' }).includes('~keyholder:{home}:*'))
    })
  })
})
