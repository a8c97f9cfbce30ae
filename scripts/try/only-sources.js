// Loaded into tests that run from the TypeScript, and into the programs that they start: refuses the modules that the compiler has
// emitted beside the sources, and dist/. They can be older than the sources.

import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = new URL('../../', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const { url } = resolved
    if (url.startsWith(root) && isMade(url)) {
      const path = relative(fileURLToPath(root), fileURLToPath(url))
      throw new Error(
        `${path} is compiled, and may be older than its source. End its path with moduleExtension of harness/module-extension.ts.`,
      )
    }
    return resolved
  },
})

function isMade(url) {
  if (url.startsWith(`${root}node_modules/`)) return false
  const path = url.replace(/[?#].*/, '')
  return (
    path.startsWith(`${root}dist/`) ||
    (path.endsWith('.js') && existsSync(new URL(path.replace(/js$/, 'ts'))))
  )
}
