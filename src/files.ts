import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Puts a file in the place of another, whole or not at all; file and folder are for their owner alone.
 * @param flush whether it must survive a power cut too
 * @throws the file system's error
 */
export async function replaceFile(path: string, content: string, { flush = false } = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(`${path}.new`, content, { mode: 0o600, flush })
  await rename(`${path}.new`, path)
}
