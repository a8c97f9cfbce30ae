import type { ArmedState } from '../../world/partition.ts'
import { type Actor, isAllowed } from '../../world/users.ts'
import { notAllowed } from '../error-responses.ts'
import { type HttpResponse, isResponse } from '../http-response.ts'
import type { SessionRequest } from '../operation.ts'
import { incorrectField, integer, readCommand, string, stringList } from '../operations/command-fields.ts'
import type { CommandExecutor } from '../processes.ts'

/** Accepted for every arming, although no state definition names it (field fact): arm at once. */
const withoutExitDelay = 'NOEXIT'

/** POST set_state (field fact; interface specification 3.3 does not name the operation): arms or disarms. */
export function setState({ body, panel, session }: SessionRequest): CommandExecutor | HttpResponse {
  const read = readCommand(body, { partition: integer, state: string, options: stringList })
  if (isResponse(read)) return read
  const { partition, state, options } = read.fields
  const partitions = panel.findPartitions(partition)
  if (partitions.length === 0) return incorrectField('partition')
  const definition = partitions[0]?.plan.states.find(({ name, settable }) => name === state && settable)
  if (!definition) return incorrectField('state')
  const known = definition.name === 'DISARM' ? [] : [...definition.options, withoutExitDelay]
  if (options.some((option) => !known.includes(option))) return incorrectField('options')
  if (!isAllowed(panel.plan, session.user, partitions)) return notAllowed
  return () => {
    // Interface specification 3, rule 2.
    if (!partitions.every((one) => one.canTransitionTo(definition.name))) return 'InvalidState'
    if (definition.name === 'DISARM') {
      panel.disarm(partition, { user: session.user })
      return null
    }
    return panel.arm(partition, definition.name as ArmedState, createActor(session.user, options))
      ? null
      : 'NotReady'
  }
}

function createActor(user: string, options: readonly string[]): Actor {
  return {
    user,
    instant: options.includes('NOENTRY'),
    latchkey: options.includes('LATCHKEY'),
    ...(options.includes(withoutExitDelay) ? { exitDelay: 0 } : {}),
  }
}
