/** The partition id that stands for the whole panel (interface specification 2.5). */
export const wholePanel = -1

/**
 * Whether something that names `partitions` concerns the partition `id`.
 *
 * Nothing named, or the whole panel named, means every partition; and everything concerns the whole panel.
 */
export function concerns(partitions: readonly number[], id: number): boolean {
  return (
    id === wholePanel || partitions.length === 0 || partitions.includes(wholePanel) || partitions.includes(id)
  )
}
