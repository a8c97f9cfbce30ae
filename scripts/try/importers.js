import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { join as joinPath } from 'node:path/posix'

/**
 * Returns a function that lists the files that import a file directly, as types too, now or later.
 * @param {string} root the folder of the project
 * @param {string[]} files all that may import one; paths with slashes, relative to the root
 */
export function readImporters(root, files) {
  const importers = new Map()
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, path] of text.matchAll(/(?:\bfrom |\bimport\()'(\.[^']+\.ts)'/g)) {
      const imported = joinPath(dirname(file), path)
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  return (file) => importers.get(file) ?? []
}
