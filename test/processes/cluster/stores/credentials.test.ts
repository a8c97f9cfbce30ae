import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { until } from '../../../../harness/clock/until.ts'
import { ClusterInstances } from '../../../../harness/cluster/cluster-instances.ts'
import { advanceSharedClock, connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { seed } from '../../../../harness/mocha/seed.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { withoutKillGuard } from '../../../../harness/without-kill-guard.ts'
import { Rejected } from '../../../../src/account/service-user/auth/judgement.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'
import type {
  Rejection,
  StretchedSecrets,
} from '../../../../src/account/service-user/auth/rejection-store.ts'
import type { MadeToken } from '../../../../src/account/service-user/auth/token-store.ts'
import { systemClock } from '../../../../src/clock.ts'
import type { Cluster } from '../../../../src/cluster/cluster.ts'
import { hour } from '../../../../src/duration.ts'
import { columnsOf } from '../../../../src/panel/events/event-history.ts'
import { KeyholderError } from '../../../../src/service/error.ts'

const secrets = (): StretchedSecrets => ({ hash: randomBytes(32).toString('base64'), key: randomBytes(32) })

const rejection: Rejection = {
  code: 'WRONG_USER_CODE',
  message: 'Canary-Sentence about canary.example',
  status: 400,
  subject: 'CanarySerial',
  replaced: false,
}

describeWithRedis('The credentials of a cluster', (server) => {
  let instances: ClusterInstances

  beforeEach(async () => {
    await server.empty()
    instances = new ClusterInstances(server)
  })
  afterEach(() => instances.close())

  it('lead to one sign-in when all calls of all instances lose the same token', async () => {
    const clusters = [await instances.add('one'), await instances.add('two'), await instances.add('three')]
    const mine = secrets()
    let made = 0
    const calls = clusters.flatMap(({ cluster }) => {
      const { rejections, tokens } = cluster.userStores('user1')
      const make = async () => {
        made += 1
        return { value: `token ${made}` }
      }
      return Array.from({ length: 10 }, () =>
        rejections.exclusive(mine.hash, () => tokens.renew(async () => mine, { failed: 0 }, make)),
      )
    })
    const values = new Set((await Promise.all(calls)).map(({ value }) => value))
    assert.deepEqual([[...values], made], [['token 1'], 1])
  })

  it('keep the newer token when an instance that has lost its lock ends its sign-in', async () => {
    const late = await instances.add('late')
    const { cluster } = await instances.add('other')
    const mine = secrets()
    const renew = (of: Cluster, failed: number, make: () => Promise<MadeToken>) => {
      const { rejections, tokens } = of.userStores('user1')
      return rejections.exclusive(mine.hash, () => tokens.renew(async () => mine, { failed }, make))
    }
    let finish = () => {}
    let hasBegun = false
    const ended = renew(late.cluster, 0, async () => {
      hasBegun = true
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return { value: 'late' }
    })
    await until(() => hasBegun)
    const { command, close } = await connectScripts(server)
    // As after a pause of the process that is longer than its session.
    await command('DEL', 'locks')
    close()
    await renew(cluster, 0, async () => ({ value: 'newer' }))
    finish()
    assert.equal((await ended).value, 'late')
    const seen = await renew(cluster, 0, () => assert.fail('another sign-in'))
    assert.equal(seen.value, 'newer')
  })

  for (const isOtherRight of [false, true]) {
    const other = isOtherRight ? 'a right one' : 'another wrong one'
    it(`are tried once by an instance with a wrong password, though another one uses ${other} again and again`, async () => {
      const attempts = { mine: 0, other: 0 }
      const users = [await instances.add('one'), await instances.add('other')].map(
        ({ cluster }) =>
          new RejectedCredentials(cluster.userStores('user1').rejections, systemClock, withoutKillGuard),
      )
      const wrong = () => new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong.'))
      const attempt = (user: RejectedCredentials | undefined, who: 'mine' | 'other') =>
        user
          ?.attemptUnlessRejected({ secrets: [who], subject: 'password' }, async () => {
            attempts[who] += 1
            if (who === 'mine' || !isOtherRight) throw wrong()
          })
          .catch(() => {})
      for (let round = 0; round < 5; round += 1) {
        await attempt(users[0], 'mine')
        await attempt(users[1], 'other')
      }
      assert.deepEqual(attempts, { mine: 1, other: isOtherRight ? 5 : 1 })
    })
  }

  it('stay rejected for an instance that still has them when another one has got the right ones', async () => {
    const sent: string[] = []
    const users = [await instances.add('one'), await instances.add('other')].map(
      ({ cluster }) =>
        new RejectedCredentials(cluster.userStores('user1').rejections, systemClock, withoutKillGuard),
    )
    const attempt = (user: RejectedCredentials | undefined, password: string) =>
      user
        ?.attemptUnlessRejected({ secrets: [password], subject: 'password' }, async () => {
          sent.push(password)
          if (password !== 'right') throw new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong.'))
        })
        .catch(() => {})
    for (const user of users) await attempt(user, 'old')
    users[0]?.settingsChanged()
    await attempt(users[0], 'right')
    await attempt(users[1], 'old')
    assert.deepEqual(sent, ['old', 'right'])
  })

  it('are sent once by all instances together, in any order of restarts, right and wrong ones mixed', async () => {
    const names = ['one', 'two', 'three']
    const steps = fc.array(fc.subarray(names, { minLength: 1 }), { minLength: 3, maxLength: 10 })
    const passwords = fc.array(fc.constantFrom('right', 'old', 'older'), { minLength: 3, maxLength: 3 })
    let user = 0
    const check = async (entered: readonly string[], rounds: readonly string[][]) => {
      user += 1
      const sent: string[] = []
      const restart = async (name: string) => {
        const { cluster } = await instances.add(name)
        const process = new RejectedCredentials(
          cluster.userStores(`user${user}`).rejections,
          systemClock,
          withoutKillGuard,
        )
        const password = entered[names.indexOf(name)] as string
        for (let poll = 0; poll < 2; poll += 1) {
          await process
            .attemptUnlessRejected({ secrets: [password], subject: 'password' }, async () => {
              if (password === 'right') return
              sent.push(password)
              throw new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong.'))
            })
            .catch(() => {})
        }
      }
      for (const round of rounds) {
        await Promise.all(round.map(restart))
        await instances.close()
      }
      assert.deepEqual(sent.toSorted(), [...new Set(sent)].toSorted())
    }
    await fc.assert(fc.asyncProperty(passwords, steps, check), { numRuns: 15, seed })
  })

  it('are tried again when all instances that had them were given others since, or after a day', async () => {
    let sent = 0
    const use = async (name: string, password: string) => {
      const { cluster } = await instances.add(name)
      const process = new RejectedCredentials(
        cluster.userStores('user1').rejections,
        systemClock,
        withoutKillGuard,
      )
      await process
        .attemptUnlessRejected({ secrets: [password], subject: 'password' }, async () => {
          if (password !== 'old') return
          sent += 1
          throw new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong.'))
        })
        .catch(() => {})
      await cluster.close()
    }
    await use('one', 'old')
    await use('two', 'old')
    await use('one', 'new')
    await use('one', 'old')
    assert.equal(sent, 1)
    await use('one', 'new')
    await use('two', 'new')
    await use('two', 'old')
    assert.equal(sent, 2)
    const driver = await connectScripts(server)
    await advanceSharedClock(driver, 25 * hour)
    driver.close()
    await use('one', 'old')
    assert.equal(sent, 3)
  })

  it('are free again after the kill of an instance that was signing in', async () => {
    const dying = await instances.add('dying')
    const { cluster } = await instances.add('other')
    let hasBegun = false
    void dying.cluster.userStores('user1').rejections.exclusive('hash', () => {
      hasBegun = true
      return new Promise(() => {})
    })
    await until(() => hasBegun)
    await instances.killAndExpire(dying)
    assert.equal(await cluster.userStores('user1').rejections.exclusive('hash', async () => 'mine'), 'mine')
  })

  it('are free again although the answers to a lock and to its end were lost', async () => {
    const [one, other] = [(await instances.add('one')).cluster, (await instances.add('other')).cluster]
    const { rejections } = one.userStores('user1')
    const work = async () => {
      server.pause()
      // Of a paused server the loss of the answer is certain.
      await until(() => one.status.state === 'away')
    }
    await rejections.exclusive('hash', work)
    server.resume()
    await until(() => one.status.state === 'connected' && other.status.state === 'connected')
    assert.equal(await other.userStores('user1').rejections.exclusive('hash', async () => 'mine'), 'mine')
    server.pause()
    const asked = rejections.exclusive('hash', async () => {})
    await assert.rejects(asked, { code: 'SHARED_STATE_AWAY' })
    server.resume()
    await until(() => one.status.state === 'connected' && other.status.state === 'connected')
    assert.equal(await other.userStores('user1').rejections.exclusive('hash', async () => 'mine'), 'mine')
  })

  it('stay rejected in this process while the server is away, and everywhere afterwards', async () => {
    const [one, other] = [(await instances.add('one')).cluster, (await instances.add('other')).cluster]
    const { rejections } = one.userStores('user1')
    const stored = await rejections.load()
    await server.kill()
    await until(() => one.status.state === 'away' && other.status.state === 'away')
    stored.rejected.set('hash', rejection)
    await rejections.save(stored)
    await assert.rejects(rejections.load(), { code: 'SHARED_STATE_AWAY' })
    await assert.rejects(
      rejections.exclusive('hash', async () => {}),
      { code: 'SHARED_STATE_AWAY' },
    )
    await server.restart()
    await until(() => one.status.state === 'connected' && other.status.state === 'connected')
    for (const cluster of [one, other]) {
      const { rejected, salt } = await cluster.userStores('user1').rejections.load()
      const expected = { ...rejection, isUsedHere: cluster === one }
      assert.deepEqual([[...rejected], salt], [[['hash', expected]], stored.salt])
    }
  })

  it('have the same salt in an instance that comes first to a server that has lost its data', async () => {
    const { cluster } = await instances.add('one')
    const { salt } = await cluster.userStores('user1').rejections.load()
    await server.kill()
    await until(() => cluster.status.state === 'away')
    await server.restart()
    const { cluster: later } = await instances.add('later')
    assert.equal((await later.userStores('user1').rejections.load()).salt, salt)
    await until(() => cluster.status.state === 'connected')
    assert.equal((await cluster.userStores('user1').rejections.load()).salt, salt)
    assert.notEqual((await later.userStores('user2').rejections.load()).salt, salt)
  })

  it('stay rejected after the server has lost its data, and are not tried again', async () => {
    const { cluster } = await instances.add('one')
    const rejected = new RejectedCredentials(
      cluster.userStores('user1').rejections,
      systemClock,
      withoutKillGuard,
    )
    let tries = 0
    const attempt = () =>
      rejected.attemptUnlessRejected({ subject: 'sign-in', secrets: ['wrong'] }, async () => {
        tries += 1
        throw new Rejected(new KeyholderError('BAD_CREDENTIALS', 'Wrong password.'))
      })
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(attempt(), Rejected)
      await server.kill()
      await until(() => cluster.status.state === 'away')
      await server.restart()
      await until(() => cluster.status.state === 'connected')
    }
    const { cluster: other } = await instances.add('other')
    assert.deepEqual([tries, (await other.userStores('user1').rejections.load()).rejected.size], [1, 1])
  })

  it('that only one instance knows stay rejected after the server was emptied, whoever notices it first', async () => {
    const clusters = [(await instances.add('one')).cluster, (await instances.add('other')).cluster]
    const stores = clusters.map((cluster) => cluster.userStores('user1').rejections)
    // Before either of them has saved what it knows.
    const loaded = await Promise.all(stores.map((one) => one.load()))
    for (const [index, stored] of loaded.entries()) {
      stored.rejected.set(`hash${index}`, rejection)
      await stores[index]?.save(stored)
    }
    const { connection, close } = await connectScripts(server)
    await connection.send('FLUSHALL', [])
    close()
    for (;;) {
      const known = await clusters[0]
        ?.userStores('user1')
        .rejections.load()
        .catch(() => undefined)
      if (known?.rejected.size === 2) break
      await new Promise(setImmediate)
    }
  })

  it('and what belongs to panels are not readable on the server', async () => {
    const { cluster } = await instances.add('one')
    const { rejections, tokens } = cluster.userStores('user1')
    const mine = secrets()
    const answer = {
      ...{ user_token: 'CanaryToken', info: null, server: null, license: null, customization: null },
      details: {},
    }
    const make = async () => ({ value: 'CanaryToken', signIn: { appId: 'CanaryApp', answer } })
    await tokens.renew(async () => mine, { failed: 0 }, make)
    const stored = await rejections.load()
    stored.rejected.set('hash', rejection)
    stored.refused.set('hash', { ...rejection, at: [], proven: false })
    await rejections.save(stored)
    const [lease, cursor] = [cluster.panels.leases.lease('panel1'), cluster.panels.cursor('panel1')]
    lease.want()
    await until(() => lease.isHeld)
    await cursor.load('CanarySerial')
    await cursor.intend(['CanarySerial-12-55-2026-01-01'])
    const columns = columnsOf({ hashes: [1], occurrences: [1], sequences: [1] }, 2)
    const memory = { ...columns, next: 2, order: 'oldest first', newest: null, moved: null } as const
    await cursor.save({ serial: 'CanarySerial', memory, positions: { node: 1 } }, ['CanarySerial-12'])
    const reader = await connectScripts(server)
    // Otherwise a dump would hide texts by compressing them.
    await reader.connection.send('CONFIG', ['SET', 'rdbcompression', 'no'])
    const keys = (await reader.connection.send('KEYS', ['*'])) as Buffer[]
    const dumps = await Promise.all(keys.map((key) => reader.connection.send('DUMP', [key])))
    reader.close()
    assert.ok(keys.length > 10)
    const all = Buffer.concat([...keys, ...(dumps as Buffer[])])
    assert.ok(!all.toString('latin1').toLowerCase().includes('canary'))
    for (const key of keys) assert.match(`${key}`, /^keyholder:\{test\}:/)
  })
})
