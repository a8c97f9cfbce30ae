/** Durations in milliseconds, the unit of all times in this package unless a name or a comment says otherwise. */
export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** Returns a number of things for a sentence, such as `1 second` or `2 seconds`. */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Returns a duration for a sentence, rounded up. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / second)
  if (seconds < 120) return counted(seconds, 'second')
  return seconds < 7200
    ? counted(Math.ceil(seconds / 60), 'minute')
    : counted(Math.ceil(seconds / 3600), 'hour')
}
