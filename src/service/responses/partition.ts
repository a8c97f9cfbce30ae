/** The partition id of the whole panel (interface specification 2.5). */
export const wholePanel = -1

/**
 * Returns true if an object with the given `partitions` concerns the partition `id`.
 *
 * An empty list or the whole panel means all partitions. Every object concerns the whole panel.
 */
export function concerns(partitions: readonly number[], id: number): boolean {
  return (
    id === wholePanel || partitions.length === 0 || partitions.includes(wholePanel) || partitions.includes(id)
  )
}
