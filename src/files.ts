import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file atomically: the new content is there completely or not at all. Only the owner can access
 * file and folder.
 * @param flush true if the file must also survive a power failure
 * @throws the file system's error
 */
export async function replaceFile(path: string, content: string, { flush = false } = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(`${path}.new`, content, { mode: 0o600, flush })
  await rename(`${path}.new`, path)
}
