import { setBypassZone } from '../commands/set-bypass-zone.ts'
import { setState } from '../commands/set-state.ts'
import { activateSiren, disableSiren } from '../commands/sirens.ts'
import { panelNotConnected } from '../error-responses.ts'
import { badParams, type HttpResponse, ok } from '../http-response.ts'
import type { Operation, Service, SessionRequest } from '../operation.ts'
import type { CommandExecutor } from '../processes.ts'
import { incorrectField } from './command-fields.ts'

/** Refuses a command at once, or returns the function that executes it. */
type Command = (request: SessionRequest, service: Service) => CommandExecutor | HttpResponse

/** The commands and the query for their progress (field facts; not in the interface specification). */
export const commandOperations: readonly Operation[] = [
  defineCommand('set_state', setState),
  defineCommand('set_bypass_zone', setBypassZone),
  defineCommand('activate_siren', activateSiren),
  defineCommand('disable_siren', disableSiren),
  { name: 'process_status', method: 'GET', needs: 'session', answer: answerProcessStatus },
]

/** A POST that a panel executes later; the response is the token to query its progress. */
function defineCommand(name: string, read: Command): Operation {
  return {
    name,
    method: 'POST',
    needs: 'session',
    answer: (request, service) => {
      const execute = read(request, service)
      if (typeof execute !== 'function') return execute
      if (!request.panel.online) return panelNotConnected
      return ok({ process_token: service.processes.start(request.panel, execute) })
    },
  }
}

/**
 * GET process_status: the tokens are in the query, under a plural name or, for some clients, a singular one.
 */
function answerProcessStatus({ query, panel }: SessionRequest, { processes }: Service): HttpResponse {
  const lists = ['process_tokens', 'process_token'].flatMap((name) => query.getAll(name))
  const tokens = lists.flatMap((list) => list.split(',')).filter((token) => token !== '')
  if (tokens.length === 0) return badParams([{ key: 'process_tokens', value: 'required' }])
  const found = processes.find(panel, tokens)
  return found.length === tokens.length ? ok(found) : incorrectField('process_tokens')
}
