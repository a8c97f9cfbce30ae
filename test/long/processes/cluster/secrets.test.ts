import assert from 'node:assert/strict'
import { inflateRawSync } from 'node:zlib'
import type { Redis } from 'ioredis'
import { until } from '../../../../harness/clock/until.ts'
import { connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { userOf } from '../../../../harness/cluster/fleet/disturbed-fleet.ts'
import { PanelFleet } from '../../../../harness/cluster/fleet/panel-fleet.ts'
import { WatchedService } from '../../../../harness/cluster/fleet/watched-service.ts'
import { monitorRedis } from '../../../../harness/cluster/redis-monitor.ts'
import { Canaries } from '../../../../harness/fixtures/canaries.ts'
import { describeWithRedis, type RedisServer, withRedis } from '../../../../harness/redis-server.ts'

/** Returns everything that the server keeps: names of keys, of fields and of members, and values. */
async function readAll(client: Redis): Promise<Buffer[]> {
  const found: Buffer[] = []
  const note = (answer: unknown): void => {
    if (Buffer.isBuffer(answer)) found.push(answer)
    else if (Array.isArray(answer)) answer.forEach(note)
  }
  const reads: Record<string, (key: Buffer) => [string, ...(Buffer | string)[]]> = {
    string: (key) => ['GET', key],
    hash: (key) => ['HGETALL', key],
    list: (key) => ['LRANGE', key, '0', '-1'],
    zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
    set: (key) => ['SMEMBERS', key],
  }
  const keys = (await client.callBuffer('KEYS', '*')) as Buffer[]
  for (const key of keys) {
    note(key)
    const type = await client.type(key)
    // Its last entry was removed meanwhile.
    if (type === 'none') continue
    const read = reads[type]
    assert.ok(read, `${key} has a type that this test does not know`)
    const [command, ...args] = read(key)
    note(await client.callBuffer(command, ...args))
  }
  return found
}

/** Returns what somebody would try who has the data: as it is, as base64, and unpacked. */
function readings(data: Buffer): string[] {
  const texts = [data.toString('latin1'), Buffer.from(data.toString('latin1'), 'base64').toString('latin1')]
  try {
    texts.push(inflateRawSync(data).toString('latin1'))
  } catch {
    // It is not packed.
  }
  return texts
}

/** Tests whether a text shows a secret. The digits of a serial in a longer number are those of a time. */
function shows(text: string, secret: string): boolean {
  if (/^\d+$/.test(secret)) return new RegExp(`(?<!\\d)${secret}(?!\\d)`).test(text)
  return text.toLowerCase().includes(secret.toLowerCase())
}

/** Collects the arguments of all commands that the server gets while `work` runs. */
async function monitorDuring(server: RedisServer, work: () => Promise<void>): Promise<string[]> {
  const sent: string[] = []
  const end = await monitorRedis(server, (args) => {
    // Our scripts are no secret, and have common words in them.
    if (args[0]?.toUpperCase() !== 'SCRIPT') sent.push(...args)
  })
  try {
    await work()
  } finally {
    end()
  }
  return sent
}

describeWithRedis(
  'What two processes leave at the server of their cluster',
  (server) => {
    let fleet: PanelFleet | undefined
    let service: WatchedService | undefined

    afterEach(async () => {
      await fleet?.close()
      await service?.close()
    })

    it('shows no serial, e-mail, host, user code, token, password or name, in what is kept and in what is sent', async () => {
      await server.restart({})
      ;(await connectScripts(server)).close()
      service = await WatchedService.start({ panels: 4 })
      const { simulator } = service
      const canaries = new Canaries(simulator)
      const kept: Buffer[] = []
      const account = {
        ...userOf(service),
        intervals: { stateEvery: 3600, eventsEvery: 1, devicesEvery: 3600 },
      }
      const processes = new PanelFleet((instance) => ({
        redis: server.address,
        instance,
        accounts: [{ ...account, requestsPerMinute: 6000 }],
      }))
      fleet = processes
      const count = (operation: string) => service?.of(operation).length ?? 0
      const addEvents = () => simulator.world.panels.forEach((panel) => void panel.addEvents(2))
      const sent = await monitorDuring(server, async () => {
        addEvents()
        await processes.launch('one')
        await processes.launch('two')
        await processes.untilTold(8)
        addEvents()
        await processes.untilTold(16)
        // All that is refused or repeated leaves a trace too.
        simulator.accounts.expireUserTokens()
        await until(() => count('auth') > 1, 'another sign-in')
        simulator.accounts.setUserCode('CanaryCode1602')
        canaries.add('CanaryCode1602')
        const refused = count('panel/login')
        simulator.accounts.expireSessions()
        await until(() => count('panel/login') > refused, 'a refused code')
        kept.push(...(await withRedis(server, readAll)))
      })
      const plans = simulator.world.panels.map(({ plan }) => plan)
      const names = plans.flatMap(({ alias, users, devices }) => [
        ...[alias, ...users],
        ...devices.map(({ name }) => name),
      ])
      const secrets = [
        ...[...canaries.all, ...simulator.serials, simulator.email, new URL(simulator.url).host],
        ...names.filter((name): name is string => typeof name === 'string' && name.length > 6),
      ]
      assert.ok(secrets.length > 15 && canaries.tokens.length > 4)
      assert.ok(kept.length > 30 && sent.length > 100, `${kept.length} ${sent.length}`)
      const texts = [...kept, ...sent.map((text) => Buffer.from(text, 'latin1'))].flatMap(readings)
      for (const secret of secrets) {
        const seen = texts.find((text) => shows(text, secret))
        assert.equal(seen, undefined, `${secret} is readable`)
      }
    })
  },
  { isLong: true },
)
