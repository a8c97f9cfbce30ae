import { KeyholderError } from '../../../service/error.ts'
import { describeCommand } from '../command.ts'
import type { BypassRecord } from './bypass-records.ts'

/** Returns the error for an arming that comes while the one before may still take effect. */
export function stillUnderWay({ partition, state }: BypassRecord): KeyholderError {
  const earlier = describeCommand({ action: 'set_state', partition, state, options: [] })
  return new KeyholderError(
    'COMMAND_FAILED',
    `Less than a minute ago the panel got ${earlier}, and does not show yet what became of it. Send this command again in a minute.`,
  )
}

/** Returns the error for an arming that would have to bypass more than an earlier one that is still in effect. */
export function stillInEffect({ partition, state, zones }: BypassRecord): KeyholderError {
  const command = describeCommand({ action: 'set_state', partition, state, options: [] })
  const sentence = `Zones are open, and ${zones.length === 1 ? 'zone' : 'zones'} ${zones.join(', ')} ${zones.length === 1 ? 'is' : 'are'} still bypassed for ${command}. Close the open zones, or disarm all of the panel first.`
  return new KeyholderError('NOT_SETTABLE', sentence)
}
