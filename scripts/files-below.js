import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lists the files below a folder whose names end so.
 * @param {string} root the folder of the project
 * @param {string} folder relative to the root
 * @param {string} ending
 * @returns {string[]} paths with slashes, relative to the root; none if there is no such folder
 */
export function filesBelow(root, folder, ending) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith(ending))
    .sort()
}
