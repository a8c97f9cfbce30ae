import type { ClusterSettings } from '../cluster-settings.ts'
import { tryCommands, usedCommands } from '../lua/check.lua.ts'
import { keyOf } from './keys.ts'
import { refusal } from './redis-error.ts'
import { type Scripts, script } from './scripts.ts'

const trial = script(tryCommands)

/** Returns the command with which an administrator of the server allows a user all that a cluster needs, and no more. */
export function aclLine({ username, clusterName, address }: ClusterSettings): string {
  const outside = ['info', 'script|load', 'evalsha', 'eval', ...(address.database === 0 ? [] : ['select'])]
  const commands = [...outside, ...usedCommands.map((command) => command.toLowerCase())]
  const rights = commands.map((command) => `+${command}`).join(' ')
  return `ACL SETUSER ${username || 'default'} ~${keyOf(clusterName, '*')} ${rights}`
}

/**
 * Tries each command that the scripts use.
 * @throws KeyholderError BAD_SETTING if the user may not do one of them
 */
export async function assertRights(scripts: Scripts): Promise<void> {
  const [denied] = await scripts.run(trial, ['check'])
  if (denied !== '') throw refusal('NOPERM')
}
