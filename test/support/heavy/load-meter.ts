import { setTimeout as pause } from 'node:timers/promises'

/** What a piece of work cost the process that did it. */
export interface Cost {
  /** Milliseconds until it was over. */
  took: number
  /** Bytes by which the resident memory stood above its beginning at most. */
  growth: number
  /** Milliseconds for which the process worked and the event loop did not turn, at most. */
  blocked: number
}

const tick = 5

/** Does a piece of work, and measures with a 5 ms ticker what it costs this process; needs `node --expose-gc`. */
export async function metered<T>(work: () => Promise<T>): Promise<Cost & { result: T }> {
  globalThis.gc?.()
  // What was freed is given back a moment later.
  await pause(50)
  const start = process.memoryUsage.rss()
  let highest = start
  let blocked = 0
  let before = performance.now()
  let usage = process.cpuUsage()
  const look = () => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(usage)
    // On a busy machine a tick is late for the sake of others: what this process did not work, it did not block.
    blocked = Math.max(blocked, Math.min(now - before - tick, (user + system) / 1000))
    before = now
    usage = process.cpuUsage()
    highest = Math.max(highest, process.memoryUsage.rss())
  }
  const ticker = setInterval(look, tick)
  const began = performance.now()
  try {
    const result = await work()
    const took = performance.now() - began
    // A block that ends with the work is seen by the next tick, and so is what goes on behind it.
    await pause(10 * tick)
    look()
    return { took, growth: highest - start, blocked, result }
  } finally {
    clearInterval(ticker)
  }
}
