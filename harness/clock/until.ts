/** Waits until something is so that nobody tells of and that takes no time on a fake clock, such as an arrival. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
}
