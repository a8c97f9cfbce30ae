import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { basename } from 'node:path/posix'
import { UserError } from '../command.js'
import { filesBelow } from '../files-below.js'

/** The folders with sources that tests run. */
export const sourceFolders = ['src', 'nodes', 'harness', 'bench']

/**
 * Finds the sources and the test files that somebody names: files or folders, with or without a line behind them, `.js` for `.ts`.
 * @param {string[]} names
 * @param {string} root the folder of the project
 * @param {string} folder in which the names were written
 * @returns {{ sources: string[], tests: string[] }} paths with slashes, relative to the root
 * @throws {UserError} for a name of nothing, or of something that no test runs
 */
export function findPlaces(names, root, folder) {
  const files = names.flatMap((name) => filesOf(name, root, folder))
  const isTest = (file) => file.startsWith('test/')
  return { sources: files.filter((file) => !isTest(file)), tests: files.filter(isTest) }
}

function filesOf(name, root, folder) {
  const path = pathOf(name, root, folder)
  const isTest = /^test(\/|$)/.test(path)
  if (!isTest && !sourceFolders.includes(path.split('/')[0]))
    throw new UserError(
      `${name} is neither a test nor in ${sourceFolders.join('/, ')}/: no test runs it. npm test runs all tests.`,
    )
  const ending = isTest ? '.test.ts' : '.ts'
  const isFolder = statSync(join(root, path)).isDirectory()
  const files = isFolder ? filesBelow(root, path, ending) : [path].filter((file) => file.endsWith(ending))
  const found = files.filter((file) => !file.endsWith('.d.ts'))
  if (found.length > 0) return found
  if (isFolder) throw new UserError(`There is no ${isTest ? 'test' : 'TypeScript'} in ${name}.`)
  throw new UserError(`${name} is no ${isTest ? 'test' : 'TypeScript'}: only npm test tells if it is right.`)
}

function pathOf(name, root, folder) {
  const withoutLine = name.replace(/(:\d+)+$/, '').replace(/(?<!\.d)\.js$/, '.ts')
  const paths = [folder, root].map((from) => relative(root, resolve(from, withoutLine)).replaceAll('\\', '/'))
  const path = paths.find((one) => one !== '' && !one.startsWith('..') && existsSync(join(root, one)))
  if (path !== undefined) return path
  const alike = [...sourceFolders, 'test']
    .flatMap((one) => filesBelow(root, one, `/${basename(withoutLine)}`))
    .map((file) => ` There is ${file}.`)
  throw new UserError(`There is no ${name}.${alike.join('')}`)
}
