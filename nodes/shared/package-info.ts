import { readFile } from 'node:fs/promises'

let read: Promise<{ name: string; version: string }> | undefined

/** Returns name and version of this package. */
export function packageInfo(): Promise<{ name: string; version: string }> {
  read ??= readFile(new URL('../../package.json', import.meta.url), 'utf8').then((text) => JSON.parse(text))
  return read
}
