import { setTimeout as pause } from 'node:timers/promises'
import { measureDelay } from '../metrics/event-loop-delay.ts'

/** The cost of a piece of work for its process. */
export interface Cost {
  /** Milliseconds by which the work exceeded its time, as measured by `measureDelay`. */
  late: number
  /** The maximum growth of the resident memory in bytes. */
  growth: number
  /** The longest time in milliseconds for which the process blocked its event loop. */
  blocked: number
}

const tick = 5

/**
 * Does a piece of work and measures its cost for this process every 5 ms; needs `node --expose-gc`.
 * @param time milliseconds that the work is allowed to take
 */
export async function measureCost<T>(work: () => Promise<T>, time: number): Promise<Cost & { result: T }> {
  globalThis.gc?.()
  // The system takes back freed memory a moment later.
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
    // The next ticks measure a block at the end of the work, and work that goes on after it.
    await pause(10 * tick)
    look()
    return { late, growth: highest - start, blocked, result }
  } finally {
    clearInterval(ticker)
  }
}

/** An entry of the largest response allowed: 4 MB and 100,000 values. */
const entry = { event: 1, label: 'ж'.repeat(218), datetime: '', zone: null, partitions: [1] }

/**
 * Returns the milliseconds for a fixed piece of work, parsing the largest response, on this machine with its current
 * load. Call it after the measured work, because it allocates memory.
 */
export function yardstick(): number {
  const document = Buffer.from(JSON.stringify(Array(8300).fill(entry)))
  const lap = stopwatch()
  JSON.parse(document.toString('utf8'))
  return lap()
}

/**
 * Starts a stopwatch. It counts the time in which this process used the processor, because on a busy machine a tick
 * is also late due to other processes.
 * @param idle milliseconds of planned waiting to subtract
 */
function stopwatch(idle = 0): () => number {
  const began = performance.now()
  const usage = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(usage)
    return Math.min(performance.now() - began - idle, (user + system) / 1000)
  }
}
