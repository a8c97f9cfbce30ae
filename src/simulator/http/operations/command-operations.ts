import type { ArmedState } from '../../world/partition.ts'
import { type Actor, isAllowed } from '../../world/users.ts'
import { notAllowed, panelNotConnected } from '../error-responses.ts'
import { badParams, type FieldError, type HttpResponse, isResponse, ok } from '../http-response.ts'
import type { Operation, Service, SessionRequest } from '../operation.ts'
import type { CommandExecutor } from '../processes.ts'

const invalid = Symbol('invalid')

/** Reads one field of a command: returns its value, or reports a wrong type. */
type FieldReader<T> = (value: unknown) => T | typeof invalid

type ValueOf<R> = R extends FieldReader<infer T> ? T : never

/** A whole number; a string of digits is refused, as by the real service. */
export const integer: FieldReader<number> = (value) =>
  Number.isSafeInteger(value) ? (value as number) : invalid

/** A boolean. */
export const boolean: FieldReader<boolean> = (value) => (typeof value === 'boolean' ? value : invalid)

/** A string. */
export const string: FieldReader<string> = (value) => (typeof value === 'string' ? value : invalid)

/** A list of strings; empty if missing. */
export const stringList: FieldReader<readonly string[]> = (value) => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : invalid
}

/** Returns the named fields of a command, or a response that names all missing and wrong ones. */
function readCommand<R extends Readonly<Record<string, FieldReader<unknown>>>>(
  body: Readonly<Record<string, unknown>>,
  readers: R,
): { fields: { [K in keyof R]: ValueOf<R[K]> } } | HttpResponse {
  const extras: FieldError[] = []
  const fields = Object.entries(readers).map(([key, read]) => {
    const sent = Object.hasOwn(body, key) ? body[key] : undefined
    const value = read(sent)
    if (value === invalid) extras.push({ key, value: sent === undefined ? 'required' : 'incorrect' })
    return [key, value]
  })
  if (extras.length > 0) return badParams(extras)
  return { fields: Object.fromEntries(fields) as { [K in keyof R]: ValueOf<R[K]> } }
}

/** Returns the error for a field whose value refers to nothing that exists. */
function incorrectField(key: string): HttpResponse {
  return badParams([{ key, value: 'incorrect' }])
}

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
      request.panel.residents?.giveWay()
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

/** Accepted for every arming, although no state definition names it (field fact): arm at once. */
const withoutExitDelay = 'NOEXIT'

/** POST set_state (field fact; interface specification 3.3 does not name the operation): arms or disarms. */
function setState({ body, panel, session }: SessionRequest): CommandExecutor | HttpResponse {
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

/** POST set_bypass_zone (field fact): `zone` is the device number; possible only while disarmed. */
function setBypassZone({ body, panel, session }: SessionRequest): CommandExecutor | HttpResponse {
  const read = readCommand(body, { zone: integer, set: boolean })
  if (isResponse(read)) return read
  const { zone, set } = read.fields
  const device = panel.devices.find((one) => one.device_type === 'ZONE' && one.device_number === zone)
  if (!device) return incorrectField('zone')
  return () => {
    if (!panel.allowsBypass(zone, set)) return 'BypassNotAllowed'
    const armed = panel.partitions.filter(({ state }) => state !== 'DISARM')
    if (armed.some(({ plan }) => plan.id === -1 || device.partitions.includes(plan.id))) return 'NotDisarmed'
    panel.bypass(zone, set, { user: session.user })
    return null
  }
}

/** POST activate_siren (field fact): all sirens sound. */
function activateSiren({ panel }: SessionRequest): CommandExecutor {
  return () => {
    panel.siren.sound()
    return null
  }
}

/** POST disable_siren (field fact): all sirens are silent; an alarm continues. */
function disableSiren({ panel }: SessionRequest): CommandExecutor {
  return () => {
    panel.siren.silence()
    return null
  }
}
