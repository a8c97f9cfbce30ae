import assert from 'node:assert/strict'
import { clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { isPrivateAddress } from '../../src/cluster/private-address.ts'
import { hasCode } from '../../src/service/error.ts'

const secret = 'Canary-Redis-7'

const addressOf = (address: string, master = '') => clusterSettings({ address, master }).address

describe('The address of a cluster', () => {
  it('is one server, with the port and database of Redis if it names none', () => {
    assert.deepEqual(addressOf('redis://nas'), {
      servers: [{ host: 'nas', port: 6379 }],
      master: undefined,
      database: 0,
      isTls: false,
    })
    assert.deepEqual(addressOf('rediss://redis.example.com:6380/2'), {
      servers: [{ host: 'redis.example.com', port: 6380 }],
      master: undefined,
      database: 2,
      isTls: true,
    })
    assert.deepEqual(addressOf('redis://[fd00::1]:7000').servers, [{ host: 'fd00::1', port: 7000 }])
  })

  it('is a list of Sentinels if it has no scheme or several hosts', () => {
    assert.deepEqual(addressOf('pi-1:26379, pi-2, pi-3:26380', 'alarm'), {
      servers: [
        { host: 'pi-1', port: 26_379 },
        { host: 'pi-2', port: 26_379 },
        { host: 'pi-3', port: 26_380 },
      ],
      master: 'alarm',
      database: 0,
      isTls: false,
    })
    assert.equal(addressOf('rediss://a.example.com,b.example.com').isTls, true)
    assert.equal(addressOf('pi-1:26379').master, 'mymaster')
  })

  it('is refused without TLS beyond this machine and private networks', () => {
    for (const host of ['127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.9', '[::1]', '[fd00::5]', 'nas'])
      assert.equal(addressOf(`redis://${host}`).isTls, false)
    for (const host of ['8.8.8.8', '172.32.0.1', '[2001:db8::1]'])
      assert.throws(
        () => addressOf(`redis://${host}`),
        (thrown) =>
          hasCode(thrown, 'BAD_SETTING') &&
          /rediss:/.test(thrown.message) &&
          thrown.detail.text === 'cluster.finding.unprotected',
      )
    assert.throws(() => addressOf('10.0.0.1:26379,8.8.8.8:26379'), { code: 'BAD_SETTING' })
    assert.ok(isPrivateAddress('::ffff:10.0.0.1'))
    assert.ok(!isPrivateAddress('::ffff:8.8.8.8'))
  })

  it('is not repeated in an error, because it may contain a password', () => {
    for (const address of [`redis://:${secret}@nas`, `http://${secret}`, `redis://a b`])
      assert.throws(
        () => addressOf(address),
        (thrown) => hasCode(thrown, 'BAD_SETTING') && !thrown.message.includes(secret),
      )
  })

  it('is required', () => {
    assert.throws(() => addressOf(''), {
      code: 'NOT_CONFIGURED',
      message: /^Address of the cluster is empty/,
    })
    assert.throws(() => addressOf('${' + 'KEYHOLDER_REDIS}'), {
      code: 'NOT_CONFIGURED',
      message: /KEYHOLDER_REDIS/,
    })
  })
})

describe('The other settings of a cluster', () => {
  it('have defaults: a cluster of its own name, and the host as the instance', () => {
    const { clusterName, instance, username, password } = clusterSettings({ address: 'redis://nas' })
    assert.deepEqual([clusterName, username, password], ['keyholder', '', ''])
    assert.notEqual(instance, '')
  })

  it('are refused by the name of their field', () => {
    assert.throws(() => clusterSettings({ address: 'redis://nas', clusterName: 'a}b' }), {
      code: 'BAD_SETTING',
      message: /^Cluster name/,
    })
    assert.throws(() => clusterSettings({ address: 'redis://nas', username: 'app' }), {
      code: 'BAD_SETTING',
      message: /^Password/,
      detail: { text: 'cluster.finding.passwordMissing' },
    })
  })
})
