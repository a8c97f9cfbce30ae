const tick = 5

/**
 * Does a piece of work, and counts for how long it goes on beyond a time, in turns of this process's event loop.
 *
 * `late` are milliseconds on a quiet machine. On a busy one the turns are fewer, so that a bound on it tells what waits
 * for a time-out from what waits for the machine.
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
