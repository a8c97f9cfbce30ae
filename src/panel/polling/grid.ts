/**
 * Returns the milliseconds from `now` to the next slot of a grid on the monotonic clock.
 *
 * Unlike setInterval, a grid neither drifts by the latency of each answer nor overlaps: missed slots are
 * skipped. Each panel has its own phase, so that the panels of an account do not poll at the same time.
 * @param phase the position of the slots in the interval, from 0 up to 1
 */
export function untilNextSlot(now: number, interval: number, phase: number): number {
  const offset = phase * interval
  const slot = Math.floor((now - offset) / interval) + 1
  return slot * interval + offset - now
}

/** Returns a panel's phase from 0 up to 1, always the same for the same text. */
export function phaseOf(text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0
  return (hash >>> 0) / 2 ** 32
}
