const tick = 5

/**
 * Does a piece of work and measures by how much it exceeds a time, in turns of the event loop.
 *
 * On a quiet machine `late` is in milliseconds. On a busy machine there are fewer turns, so `late` is high only if
 * the work waits for a timeout, not if it waits for the processor.
 * @param allowed milliseconds that are not counted
 */
export async function measureDelay<T>(
  work: () => Promise<T>,
  allowed = 0,
): Promise<{ result: T; late: number }> {
  let late = 0
  let ticker: NodeJS.Timeout | undefined
  const begin = setTimeout(() => {
    ticker = setInterval(() => {
      late += tick
    }, tick)
  }, allowed)
  try {
    return { result: await work(), late }
  } finally {
    clearTimeout(begin)
    clearInterval(ticker)
  }
}
