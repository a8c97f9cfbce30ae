import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { neverAborted } from '../../../harness/account.ts'
import { operations } from '../../../src/service/operations.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { openAccount } from '../../client.ts'
import { withOpenCluster } from '../../cluster/open-cluster.ts'
import { type Comparison, quantile } from '../../comparison.ts'

const rounds = 3000
const unbounded = 10_000_000
const plainServer = fileURLToPath(new URL('../../plain-server.js', import.meta.url))

/** Time of a request through a cluster, compared with one of a process that is alone; the two alternate. */
export default async function costOfASharedCall({ folder }: BenchmarkOptions): Promise<Comparison[]> {
  const service = fork(plainServer)
  try {
    const [url] = (await once(service, 'message')) as [string]
    return await withOpenCluster(async (cluster) => {
      const [one, other] = await Promise.all([
        mkdtemp(join(folder, 'alone-')),
        mkdtemp(join(folder, 'shared-')),
      ])
      const open = (email: string, place: string, shares?: typeof cluster) =>
        openAccount({ url, email, password: 'right' }, unbounded, place, shares)
      const accounts = {
        ours: open('shared@example.org', other, cluster),
        theirs: open('alone@example.org', one),
      }
      const times = { ours: [] as number[], theirs: [] as number[] }
      const panel = { serial: 'A1B2C3', userCode: '0123' }
      for (let round = 0; round < rounds; round += 1) {
        for (const who of ['ours', 'theirs'] as const) {
          const began = performance.now()
          const signal = neverAborted()
          await accounts[who].sendRead(operations.devices, { lane: 'urgent', maxAge: 0, panel, signal })
          // The first requests sign in and warm up the JIT compiler.
          if (round >= rounds / 4) times[who].push(1000 * (performance.now() - began))
        }
      }
      const compare = (what: string, share: number, goal: number): Comparison => ({
        what,
        ours: quantile(times.ours, share),
        theirs: quantile(times.theirs, share),
        unit: 'µs',
        goal,
      })
      return [
        compare('median of calls in turn', 0.5, 1.25),
        compare('quickest tenth', 0.1, 1.25),
        compare('slowest tenth', 0.9, 1.25),
      ]
    })
  } finally {
    service.kill()
  }
}
