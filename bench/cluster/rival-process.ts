/** A process of a rival: it asks a library for each request that it may send, and sends it to a server that counts. */
import { get } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The work of a rival's process; its only argument, as JSON. */
export interface RivalTask {
  rival: 'bullmq-limiter' | 'bullmq-polls' | 'rate-limiter-flexible'
  /** The folder in which the rivals are installed. */
  place: string
  redisPort: number
  /** The port of the server that counts. */
  port: number
  cap?: number
  /** Milliseconds of the window of the cap. */
  window?: number
  /** The number of panels, and the milliseconds between the polls of each. */
  panels?: number
  interval?: number
  /** Milliseconds of the lock of a job, if it is not the default. */
  lock?: number
}

const task: RivalTask = JSON.parse(process.argv[2] ?? '{}')
const { rival, place, redisPort, port, cap = 1, window = 60_000, panels = 0, interval = 0, lock } = task
const load = createRequire(join(place, 'package.json'))
const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null }

/** Sends one request; resolves at its end, whatever it is. */
function send(path: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume()
      answer.once('close', resolve)
    })
    request.once('error', () => resolve())
  })
}

const rivals: Record<RivalTask['rival'], () => Promise<void>> = {
  'bullmq-limiter': async () => {
    const { Queue, Worker } = load('bullmq')
    const queue = new Queue('attempts', { connection })
    const options = { connection, concurrency: 4, limiter: { max: cap, duration: window } }
    new Worker('attempts', () => send('/attempt'), { ...options, removeOnComplete: { count: 0 } })
    for (;;) {
      if ((await queue.getWaitingCount()) < 4 * cap) {
        await queue.addBulk(Array.from({ length: 4 * cap }, () => ({ name: 'attempt', data: {} })))
      }
      await pause(1000)
    }
  },
  'bullmq-polls': async () => {
    const { Queue, Worker } = load('bullmq')
    const queue = new Queue('polls', { connection })
    const locks = lock === undefined ? {} : { lockDuration: lock, stalledInterval: lock / 2 }
    const options = { connection, concurrency: 100, maxStalledCount: 100, ...locks }
    new Worker('polls', (job: { name: string }) => send(`/poll?${job.name}`), {
      ...options,
      removeOnComplete: { count: 0 },
    })
    for (let panel = 0; panel < panels; panel += 1) {
      await queue.upsertJobScheduler(`panel${panel}`, { every: interval }, { name: `panel${panel}` })
    }
  },
  'rate-limiter-flexible': async () => {
    const { RateLimiterRedis } = load('rate-limiter-flexible')
    const { Redis } = load('ioredis')
    const storeClient = new Redis(connection)
    const limiter = new RateLimiterRedis({ storeClient, points: cap, duration: window / 1000 })
    const one = async () => {
      for (;;) {
        try {
          await limiter.consume('user')
          await send('/attempt')
        } catch (refused) {
          await pause(Math.min(500, (refused as { msBeforeNext?: number }).msBeforeNext ?? 100))
        }
      }
    }
    await Promise.all(Array.from({ length: 4 }, one))
  },
}

await rivals[rival]()
