import { type Operation, operations } from '../../service/operations.ts'
import type { ProcessToken } from '../../service/responses/process-status.ts'
import type { Command } from './command.ts'

/** Returns the operation that executes a command, and its body (field facts). */
export function requestFor(command: Command): {
  operation: Operation<ProcessToken>
  body: Readonly<Record<string, unknown>>
} {
  switch (command.action) {
    case 'set_state': {
      const { partition, state, options } = command
      const body = { partition, state, ...(options.length > 0 ? { options } : {}) }
      return { operation: operations.setState, body }
    }
    case 'bypass':
      return { operation: operations.setBypassZone, body: { zone: command.zone, set: command.enabled } }
    case 'siren_on':
      return { operation: operations.activateSiren, body: {} }
    case 'siren_off':
      return { operation: operations.disableSiren, body: { mode: 'all' } }
  }
}
