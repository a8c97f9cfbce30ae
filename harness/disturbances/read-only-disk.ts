import { existsSync, type PathLike } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** The functions that change what their first or second path names, by their name. */
const changes = ['appendFile', 'copyFile', 'link', 'mkdtemp', 'rename', 'rm', 'unlink', 'writeFile'] as const

/**
 * Makes a folder read-only for this process, as a memory card that wears out does: its files can be read, and all that would change
 * them fails. Returns a function that ends this.
 */
export function makeReadOnly(folder: string): () => void {
  const { mkdir, open } = promises
  const before = Object.fromEntries([...changes.map((name) => [name, promises[name]] as const)])
  const isInside = (path: unknown) => String(path).startsWith(folder)
  const refuse = (path: unknown) =>
    Promise.reject(Object.assign(new Error(`EROFS: read-only file system, '${path}'`), { code: 'EROFS' }))
  for (const name of changes) {
    const change = promises[name] as (...values: unknown[]) => Promise<unknown>
    Object.assign(promises, {
      [name]: (...values: unknown[]) =>
        values.slice(0, 2).some(isInside) ? refuse(values[0]) : change(...values),
    })
  }
  Object.assign(promises, {
    mkdir: (...values: Parameters<typeof mkdir>) =>
      isInside(values[0]) && !existsSync(values[0]) ? refuse(values[0]) : mkdir(...values),
    open: (path: PathLike, flags: string | number = 'r', ...rest: (string | number)[]) =>
      isInside(path) && flags !== 'r' ? refuse(path) : open(path, flags, ...rest),
  })
  syncBuiltinESMExports()
  return () => {
    Object.assign(promises, before, { mkdir, open })
    syncBuiltinESMExports()
  }
}
