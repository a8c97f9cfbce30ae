import { KeyholderError } from '../../service/error.ts'
import type { PanelLimits } from '../../service/responses/panel-limits.ts'
import type { Command, Siren } from './command.ts'

/** The only known mode in which a zone can be bypassed by a command (interface specification 2.5). */
const manualBypass = 'manual_bypass'

/**
 * Returns the reason why the panel's feature set rules a command out; undefined if it does not, or does not say.
 */
export function featureRefusal(command: Command, limits: PanelLimits): KeyholderError | undefined {
  switch (command.action) {
    case 'set_state': {
      if (limits.setsState) return undefined
      return lacks('By its feature set, this panel can be armed and disarmed only at the panel itself.')
    }
    case 'bypass':
      return undefined
    default: {
      const isPossible = command.action === 'siren_on' ? limits.turnsSirenOn : limits.turnsSirenOff
      return isPossible ? undefined : sirenError(command)
    }
  }
}

/** Returns the reason why a partition is beyond the panel's limit (8.2); undefined if it is not. */
export function partitionRefusal(
  partition: number,
  { maxPartitions }: PanelLimits,
): KeyholderError | undefined {
  if (partition <= maxPartitions) return undefined
  const sentence = `By its feature set, the panel has ${maxPartitions} partitions at most, so partition ${partition} cannot be set. Choose another one, or -1 for the whole panel.`
  return new KeyholderError('BAD_SETTING', sentence)
}

/**
 * Returns the reason why no zone of the panel can be bypassed by a command; undefined if one can, or if the panel
 * does not name its mode. A bypass can be removed in any mode.
 */
export function bypassModeRefusal(mode: string, isEnabled: boolean): KeyholderError | undefined {
  if (!isEnabled || mode === '' || mode === manualBypass) return undefined
  const shown = /^\w{1,40}$/.test(mode) ? ` is "${mode}"` : ' is another one'
  return lacks(
    `Zones can be bypassed only in the bypass mode "${manualBypass}", and that of this panel${shown}. Ask your installer to change it.`,
  )
}

/** Returns the error for a siren command that the panel has no function for; the user's rights are not the cause. */
export function sirenError({ action }: Siren): KeyholderError {
  return lacks(
    `The siren of this panel cannot be turned ${action === 'siren_on' ? 'on' : 'off'} from a flow.`,
  )
}

/** Returns the error for a function that the panel does not have. */
function lacks(sentence: string): KeyholderError {
  return new KeyholderError('NOT_SETTABLE', sentence)
}
