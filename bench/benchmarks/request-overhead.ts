import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import got from 'got'
import { neverAborted } from '../../harness/account.ts'
import type { Account } from '../../src/account/account.ts'
import { operations } from '../../src/service/operations.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import { openAccount } from '../client.ts'
import { type Comparison, median } from '../comparison.ts'

const rounds = 3000
/** Requests per minute: high enough that no request has to wait. */
const unbounded = 10_000_000
const plainServer = fileURLToPath(new URL('../plain-server.js', import.meta.url))

/**
 * Time of a request through sign-in, rate limit, attempt log and coalescing, with its answer checked,
 * compared with a bare got request with the same headers, parsed answer and connections. The list of devices
 * has 40 kB; the two alternate.
 */
export default async function costOfACall({ folder }: BenchmarkOptions): Promise<Comparison[]> {
  const server = fork(plainServer)
  try {
    const [url] = (await once(server, 'message')) as [string]
    const place = await mkdtemp(join(folder, 'account-'))
    const { ours, theirs } = await timedCalls(
      openAccount({ url, email: 'user@example.org', password: 'right' }, unbounded, place),
      url,
    )
    return [{ what: 'median of calls in turn', ours, theirs, unit: 'µs', goal: 1.15 }]
  } finally {
    server.kill()
  }
}

async function timedCalls(account: Account, url: string): Promise<{ ours: number; theirs: number }> {
  const panel = { serial: 'A1B2C3', userCode: '0123' }
  const bare = got.extend({
    retry: { limit: 0 },
    followRedirect: false,
    timeout: { request: 10_000 },
    agent: { http: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) },
    headers: { 'User-Token': 'user', 'Session-Token': 'session' },
  })
  const calls = {
    ours: () =>
      account.sendRead(operations.devices, { lane: 'urgent', maxAge: 0, panel, signal: neverAborted() }),
    theirs: () => bare(`${url}/rest_api/14.0/devices`).json(),
  }
  const times: Record<keyof typeof calls, number[]> = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const who of ['ours', 'theirs'] as const) {
      const began = performance.now()
      await calls[who]()
      // The first requests sign in and warm up the JIT compiler.
      if (round >= rounds / 4) times[who].push(1000 * (performance.now() - began))
    }
  }
  return { ours: median(times.ours), theirs: median(times.theirs) }
}
