import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { readAuthority } from '../../../src/account/http/certificate-authority.ts'
import { clusterSettings } from '../../../src/cluster/cluster-settings.ts'
import { Connection } from '../../../src/cluster/redis/connection.ts'

describe('The CA file of a cluster', () => {
  const { stat } = promises
  afterEach(() => {
    promises.stat = stat
    syncBuiltinESMExports()
  })

  /** Lets a file hang when it is looked at; only this one, because other tests of the process may look at theirs. */
  function hang(file: string, onLook: () => void) {
    const hanging = (path: string) => {
      if (path !== file) return stat(path)
      onLook()
      return new Promise(() => {})
    }
    promises.stat = hanging as unknown as typeof stat
    syncBuiltinESMExports()
  }

  /** Opens a connection with a CA file; resolves with the code of its first failure. */
  function failure(caFile: string, clock = new FakeClock()): Promise<string> {
    return new Promise((resolve) => {
      const settings = clusterSettings({ address: 'rediss://127.0.0.1:1', caFile })
      const handshake = () => Promise.reject(new Error('unexpected'))
      const onChange = () => {
        resolve(connection.failure?.code ?? 'none')
        connection.close()
      }
      const connection = new Connection(settings, { clock, handshake, onChange })
      connection.open()
    })
  }

  // A read that hangs goes on for the rest of the process, so each test has a file of its own.
  it('is read within the time of a connect, also on a drive that hangs', async () => {
    const clock = new FakeClock()
    const asked = new Promise<void>((resolve) => hang('/mnt/hangs-for-redis.pem', resolve))
    const failed = failure('/mnt/hangs-for-redis.pem', clock)
    await asked
    clock.advance(5000)
    assert.equal(await failed, 'BAD_SETTING')
  })

  it('is a regular file of at most 1 MB', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ca-'))
    try {
      const large = join(folder, 'large.pem')
      writeFileSync(large, Buffer.alloc(1024 * 1024 + 1))
      for (const caFile of ['/dev/zero', large]) assert.equal(await failure(caFile), 'BAD_SETTING')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is read once for all that ask while a drive hangs, because each read holds a thread', async () => {
    let reads = 0
    hang('/mnt/hangs-too.pem', () => {
      reads += 1
    })
    for (let n = 0; n < 5; n += 1) void readAuthority('/mnt/hangs-too.pem')
    assert.equal(reads, 1)
  })
})
