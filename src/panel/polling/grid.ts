/**
 * Milliseconds from `now` to the next slot of a grid on the monotonic clock.
 *
 * A grid neither drifts by the latency of each answer nor overlaps as setInterval does: slots that were missed are
 * skipped. Each panel has its own phase, so that the panels of an account do not fire together.
 * @param phase where in the interval the slots lie, from 0 up to 1
 */
export function untilNextSlot(now: number, interval: number, phase: number): number {
  const offset = phase * interval
  const slot = Math.floor((now - offset) / interval) + 1
  return slot * interval + offset - now
}

/** A panel's phase from 0 up to 1, always the same for the same text. */
export function phaseOf(text: string): number {
  let hash = 0
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0
  return (hash >>> 0) / 2 ** 32
}
