import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { npm, run } from './command.js'

/** Installs the packages of the project, unless they exist and are as new as the lock file. */
export async function installWhatIsMissing(root, signal) {
  const [wanted, installed] = await Promise.all([
    changedAt(join(root, 'package-lock.json')),
    // npm writes this file last.
    changedAt(join(root, 'node_modules', '.package-lock.json')),
  ])
  if (installed >= wanted) return
  console.log('Installing the packages that the project needs. The first time this takes about a minute ...')
  await run(npm(['ci', '--include=dev', '--loglevel=error']), {
    cwd: root,
    signal,
    failure: 'The packages could not be installed; the lines above say why.',
  })
}

/** Compiles the sources and writes dist/, which Node-RED loads. */
export async function build(root, signal) {
  console.log('Building ...')
  await run(npm(['run', '--silent', 'build:changed']), {
    cwd: root,
    signal,
    failure: 'The build failed; the lines above say where.',
  })
}

/** Returns milliseconds since 1970; 0 for a missing file. */
async function changedAt(path) {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return 0
  }
}
