import { cp, realpath, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'

const leftOut = ['.git', '.node-red', 'node_modules']

/**
 * Copies a project to a folder in which its files may be changed; both share the installed packages.
 * @param {string} root
 * @param {string} folder is created
 * @returns {Promise<string>} the root of the copy, without symbolic links, as V8 names it in coverage
 */
export async function copyProject(root, folder) {
  await cp(root, folder, {
    recursive: true,
    filter: (path) => path === root || !leftOut.includes(basename(path)),
  })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return await realpath(folder)
}
