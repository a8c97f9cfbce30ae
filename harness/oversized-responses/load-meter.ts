import { setTimeout as pause } from 'node:timers/promises'
import { measureDelay } from '../metrics/event-loop-delay.ts'

/** What a piece of work cost the process that did it. */
export interface Cost {
  /** Milliseconds for which it went on beyond its time, as `measureDelay` counts them. */
  late: number
  /** Bytes by which the resident memory stood above its beginning at most. */
  growth: number
  /** Milliseconds for which the process worked and the event loop did not turn, at most. */
  blocked: number
  /** Milliseconds that a fixed piece of work took the same process right afterwards: `yardstick`. */
  yardstick: number
}

const tick = 5

/**
 * Does a piece of work, and measures with a 5 ms ticker what it costs this process; needs `node --expose-gc`.
 * @param time milliseconds that the work may take
 */
export async function measureCost<T>(work: () => Promise<T>, time: number): Promise<Cost & { result: T }> {
  globalThis.gc?.()
  // What was freed is given back a moment later.
  await pause(50)
  const start = process.memoryUsage.rss()
  let highest = start
  let blocked = 0
  let lap = stopwatch(tick)
  const look = () => {
    blocked = Math.max(blocked, lap())
    lap = stopwatch(tick)
    highest = Math.max(highest, process.memoryUsage.rss())
  }
  const ticker = setInterval(look, tick)
  try {
    const { result, late } = await measureDelay(work, time)
    // A block that ends with the work is seen by the next tick, and so is what goes on behind it.
    await pause(10 * tick)
    look()
    return { late, growth: highest - start, blocked, yardstick: yardstick(), result }
  } finally {
    clearInterval(ticker)
  }
}

/** As large as an answer may be, in bytes and in values: 4 MB and 100,000. */
const entry = { event: 1, label: 'ж'.repeat(218), datetime: '', zone: null, partitions: [1] }
const document = Buffer.from(JSON.stringify(Array(8300).fill(entry)))

/**
 * What this machine, as busy as it is, needs for plain work that is always the same: to read the largest answer there
 * may be. Done after the work, since it leaves memory that would hide what the work takes.
 */
function yardstick(): number {
  const lap = stopwatch()
  JSON.parse(document.toString('utf8'))
  return lap()
}

/**
 * Milliseconds from now on, less what others took: on a busy machine a tick is late for the sake of others, and what
 * this process did not work, it did not block.
 * @param idle milliseconds of it that are waited for anyway
 */
function stopwatch(idle = 0): () => number {
  const began = performance.now()
  const usage = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(usage)
    return Math.min(performance.now() - began - idle, (user + system) / 1000)
  }
}
