import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import got from 'got'
import PQueue from 'p-queue'
import { neverAborted } from '../../harness/account.ts'
import type { Account } from '../../src/account/account.ts'
import { RejectionFile } from '../../src/account/service-user/auth/rejection-store.ts'
import { LocalTokenStore } from '../../src/account/service-user/auth/token-store.ts'
import {
  LocalRateLimitStore,
  type LoggedAttempts,
} from '../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import type { UserStores } from '../../src/account/service-user/user-stores.ts'
import { systemClock } from '../../src/clock.ts'
import { operations } from '../../src/service/operations.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import { openAccount, type SharedStores } from '../client.ts'
import { type Comparison, median } from '../comparison.ts'

const rounds = 3000
/** Requests per minute: high enough that no request has to wait. */
const unbounded = 10_000_000
const plainServer = fileURLToPath(new URL('../plain-server.js', import.meta.url))

/** The ways of a call: our account, as it is or without its file, or got, in a queue or alone. */
type Way = 'durable' | 'in memory' | 'queued' | 'bare'

/**
 * Time of a request through sign-in, rate limit, attempt log and coalescing, with its answer checked,
 * compared with a bare got request with the same headers, parsed answer and connections. The list of devices
 * has 40 kB. All ways of a call alternate: also one whose attempts are not written to the disk, and p-queue
 * and got alone, which are in the way of every attempt.
 */
export default async function costOfACall({ folder }: BenchmarkOptions): Promise<Comparison[]> {
  const server = fork(plainServer)
  try {
    const [url] = (await once(server, 'message')) as [string]
    const open = async (stores?: SharedStores) => {
      const place = await mkdtemp(join(folder, 'account-'))
      return openAccount({ url, email: 'user@example.org', password: 'right' }, unbounded, place, stores)
    }
    const userStores = () => storesInMemory(join(folder, 'rejected.json'))
    const times = await timedCalls(await open(), await open({ userStores }), url)
    const compared = { theirs: times.bare, unit: 'µs' }
    return [
      { what: 'median of calls in turn', ours: times.durable, ...compared, goal: 1.15 },
      { what: 'without the disk', ours: times['in memory'], ...compared, goal: 1.1 },
      { what: 'p-queue and got alone', ours: times.queued, ...compared, goal: Number.POSITIVE_INFINITY },
    ]
  } finally {
    server.kill()
  }
}

/** Returns stores whose attempts are counted in memory, and lost with the process. */
function storesInMemory(rejectionsPath: string): UserStores {
  const nothing = async () => {}
  const attemptLog: LoggedAttempts = {
    open: nothing,
    recall: async () => [],
    recallBackoff: async () => 0,
    recallToday: async () => 0,
    joined: async () => undefined,
    noteStarts: nothing,
    noteEnds: nothing,
    noteBackoff: nothing,
    guardKill: async () => nothing,
    noteLeft: nothing,
  }
  const rateLimits = new LocalRateLimitStore(attemptLog, systemClock)
  const rejections = new RejectionFile(rejectionsPath)
  return { rateLimits, rejections, tokens: new LocalTokenStore(systemClock) }
}

async function timedCalls(durable: Account, inMemory: Account, url: string): Promise<Record<Way, number>> {
  const panel = { serial: 'A1B2C3', userCode: '0123' }
  // One for all calls, as a poller has it.
  const signal = neverAborted()
  const bare = got.extend({
    retry: { limit: 0 },
    followRedirect: false,
    timeout: { request: 10_000 },
    agent: { http: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) },
    headers: { 'User-Token': 'user', 'Session-Token': 'session' },
  })
  const queue = new PQueue({ concurrency: 3 })
  const read = (account: Account) =>
    account.sendRead(operations.devices, { lane: 'urgent', maxAge: 0, panel, signal })
  const get = () => bare(`${url}/rest_api/14.0/devices`).json()
  const calls: Record<Way, () => Promise<unknown>> = {
    durable: () => read(durable),
    'in memory': () => read(inMemory),
    queued: () => queue.add(get),
    bare: get,
  }
  const times: Record<Way, number[]> = { durable: [], 'in memory': [], queued: [], bare: [] }
  const ways = Object.keys(calls) as Way[]
  for (let round = 0; round < rounds; round += 1) {
    // Another order each time: what a call leaves behind is paid by the next one.
    ways.sort(() => Math.random() - 0.5)
    for (const way of ways) {
      const began = performance.now()
      await calls[way]()
      // The first requests sign in and warm up the JIT compiler.
      if (round >= rounds / 4) times[way].push(1000 * (performance.now() - began))
    }
  }
  return {
    durable: median(times.durable),
    'in memory': median(times['in memory']),
    queued: median(times.queued),
    bare: median(times.bare),
  }
}
