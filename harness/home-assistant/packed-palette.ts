import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, pack } from '../node-red/npm.ts'
import { paletteName } from '../node-red/user-directory.ts'

let packed: Promise<string> | undefined

/** Returns the folder of this package as npm installs it, packed and installed once for all tests of a process; needs the network. */
export function packedPalette(): Promise<string> {
  packed ??= installPacked()
  return packed
}

async function installPacked(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'keyholder-packed-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const installation = join(folder, 'installation')
  mkdirSync(installation)
  await install(installation, [await pack(folder)])
  return join(installation, 'node_modules', paletteName)
}
