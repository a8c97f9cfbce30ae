import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from '../files-below.js'

/** Tests that need more than the modules themselves: they load or read the package that `npm run build` makes. */
const ofPackage = ['test/runtime/', 'test/package.test.ts']

/**
 * Lists the test files that need nothing but their own process: no other process, no browser, no build.
 * @param {string} root
 */
export function listInProcessTests(root) {
  return filesBelow(root, 'test', '.test.ts').filter((file) => isInProcess(root, file))
}

/** Tells if a test file needs nothing but its own process. */
export function isInProcess(root, file) {
  return configurationOf(root, file) === '.mocharc.json' && !ofPackage.some((path) => file.startsWith(path))
}

/** Returns the path of the configuration of the suite that runs a test file; all but `npm test` have it in their folder. */
export function configurationOf(root, file) {
  const own = `${file.split('/').slice(0, 2).join('/')}/.mocharc.json`
  return existsSync(join(root, own)) ? own : '.mocharc.json'
}
