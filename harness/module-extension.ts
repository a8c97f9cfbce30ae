import { extname } from 'node:path'

/**
 * The extension of our modules in this run: `.ts` where Node runs the sources themselves, `.js` where it runs what the compiler
 * has emitted. A test that names a module by its path, for a process of its own, ends the path with it: else it could run an
 * emitted module that is older than its source.
 */
export const moduleExtension = extname(import.meta.url)
