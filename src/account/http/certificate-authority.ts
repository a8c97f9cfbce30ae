import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { getOrCreate } from '../../concurrency.ts'

/** Bytes of a file with certificates: those of all authorities of the world have a fifth of it. */
const maxFileBytes = 1024 * 1024

/** The reads in progress, by file. A drive that hangs holds a thread of Node for each read, and Node has four for all files. */
const reading = new Map<string, Promise<string>>()

/**
 * Returns the content of a PEM file with a private certificate authority. On a drive that hangs it may never settle, so the
 * caller limits the time.
 * @throws Error if it cannot be read, is no regular file, is larger than 1 MB, or has no certificate
 */
export function readAuthority(file: string): Promise<string> {
  return getOrCreate(reading, file, () => read(file).finally(() => reading.delete(file)))
}

async function read(file: string): Promise<string> {
  const found = await stat(file)
  // A pipe may never end, and neither does a device.
  if (!found.isFile() || found.size > maxFileBytes) throw new Error('no regular file of at most 1 MB')
  const content = await readFile(file, 'utf8')
  // TLS accepts any text and then trusts no server. This parses the first certificate, or throws.
  new X509Certificate(content)
  return content
}
