import { UserError } from './command.js'

/**
 * Tells if Node-RED can load ES modules on this version of Node, such as "20.20.2".
 *
 * 20.19 and 22.12 are the first versions in which `require` loads an ES module without a flag.
 */
export function canRun(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major === 20) return minor >= 19
  if (major === 22) return minor >= 12
  return major > 22
}

/** Refuses versions of Node that cannot run the demo. */
export function requireNode(version) {
  if (canRun(version)) return
  throw new UserError(
    `This is Node ${version}; the demo needs Node 20.19 or later (22.12 or later of the 22 series).`,
  )
}
