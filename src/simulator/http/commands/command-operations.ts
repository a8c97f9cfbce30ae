import { panelNotConnected } from '../error-responses.ts'
import { type Answer, badParams, ok } from '../http-response.ts'
import type { Operation, Service, SessionQuestion } from '../operations/operation.ts'
import { incorrect } from './command-fields.ts'
import type { CarryOut } from './processes.ts'
import { setBypassZone } from './set-bypass-zone.ts'
import { setName } from './set-name.ts'
import { setState } from './set-state.ts'
import { setUserCode } from './set-user-code.ts'
import { activateSiren, disableSiren } from './sirens.ts'

/** Refuses a command at once, or returns the function that executes it. */
type Command = (question: SessionQuestion, service: Service) => CarryOut | Answer

/** The commands and the query for their progress (field facts; not in the interface specification). */
export const commandOperations: readonly Operation[] = [
  command('set_state', setState),
  command('set_bypass_zone', setBypassZone),
  command('activate_siren', activateSiren),
  command('disable_siren', disableSiren),
  command('set_name', setName),
  command('set_user_code', setUserCode),
  { name: 'process_status', method: 'GET', needs: 'session', answer: processStatus },
]

/** A POST that a panel executes later; the response is the token to query its progress. */
function command(name: string, read: Command): Operation {
  return {
    name,
    method: 'POST',
    needs: 'session',
    answer: (question, service) => {
      const carryOut = read(question, service)
      if (typeof carryOut !== 'function') return carryOut
      if (!question.panel.online) return panelNotConnected
      return ok({ process_token: service.processes.start(question.panel, carryOut) })
    },
  }
}

/**
 * GET process_status: the tokens are in the query, under a plural name or, for some clients, a singular one.
 */
function processStatus({ query, panel }: SessionQuestion, { processes }: Service): Answer {
  const asked = ['process_tokens', 'process_token'].flatMap((name) => query.getAll(name))
  const tokens = asked.flatMap((list) => list.split(',')).filter((token) => token !== '')
  if (tokens.length === 0) return badParams([{ key: 'process_tokens', value: 'required' }])
  const found = processes.find(panel, tokens)
  return found.length === tokens.length ? ok(found) : incorrect('process_tokens')
}
