import { type HttpResponse, ok, pageNotFound } from '../http/http-response.ts'
import type { CommandBehavior } from '../http/processes.ts'
import { Random } from '../random.ts'
import type { Fault } from './active-faults.ts'

/**
 * Withdraws a version: the same response for all paths of this version, in both services, and `version` does
 * not list it. The default response is a page (field fact).
 */
export function versionWithdrawn(version: string, response: HttpResponse = pageNotFound): Fault {
  const bases = [`/rest_api/${version}`, `/rest_api/installer/${version}`]
  return {
    name: `version ${version} withdrawn${response === pageNotFound ? '' : `, status ${response.status}`}`,
    answer: (getOriginal, { path, operation }) => {
      if (bases.some((base) => `${path}/`.startsWith(`${base}/`))) return response
      const original = getOriginal()
      if (operation !== 'version') return original
      return { ...original, body: removeVersion(version, original.body) }
    },
  }
}

/** Before each response all tokens of this kind become invalid, as if another client had signed in. */
export function tokenRevoked(kind: 'session' | 'user'): Fault {
  return {
    name: kind === 'session' ? 'session ended by another client' : 'user token ended by another client',
    answer: (getOriginal, { accounts }) => {
      if (kind === 'session') accounts.expireSessions()
      else accounts.expireUserTokens()
      return getOriginal()
    },
  }
}

/** The operations that need no open panel. */
const accountOperations: readonly string[] = ['', 'version', 'auth', 'panels']

/**
 * Ends the session of the panel, and reports that with any response, until the panel is opened again: services
 * differ in their words for it.
 */
export function sessionEnded(response: HttpResponse): Fault {
  let isOpen = false
  return {
    name: `session ended, status ${response.status}`,
    answer: (getOriginal, { operation }) => {
      if (isOpen || accountOperations.includes(operation)) return getOriginal()
      if (operation !== 'panel/login') return response
      const answer = getOriginal()
      isOpen = answer.status === 200
      return answer
    },
  }
}

/** The momentary errors of an event list: empty, only the first half, an entry twice, or out of order. */
export type EventListError = 'empty' | 'half' | 'twice' | 'shuffled'

/** Changes the event list and the standard log for a moment; other operations are not affected. */
export function wrongEventList(kind: EventListError): Fault {
  const random = new Random(1)
  return {
    name: `event list ${kind}`,
    answer: (getOriginal, { operation }) => {
      const response = getOriginal()
      if (!lists.includes(operation) || !Array.isArray(response.body)) return response
      return { ...response, body: corruptList(response.body, kind, random) }
    },
  }
}

const lists: readonly string[] = ['events', 'standard_log']

function corruptList(list: readonly unknown[], kind: EventListError, random: Random): readonly unknown[] {
  const middle = Math.floor(list.length / 2)
  switch (kind) {
    case 'empty':
      return []
    case 'half':
      return list.slice(0, middle)
    case 'twice':
      return [...list.slice(0, middle + 1), ...list.slice(middle)]
    case 'shuffled':
      return shuffle(list, random)
  }
}

function shuffle(list: readonly unknown[], random: Random): readonly unknown[] {
  return list
    .map((entry) => ({ entry, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry)
}

function removeVersion(version: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const filterVersions = (offered: unknown) =>
    Array.isArray(offered) ? offered.filter((one) => one !== version) : offered
  return Object.fromEntries(Object.entries(body).map(([name, offered]) => [name, filterVersions(offered)]))
}

/**
 * Makes panels slow: a command is `handled` after a second and done after this many seconds of the simulated
 * world.
 */
export function slowPanel(seconds: number): Fault {
  return changeCommands(`commands take ${seconds} s`, { secondsUntilDone: seconds })
}

/** Commands are executed, but the service never reports it: they stay `handled`. */
export function staysHandled(): Fault {
  return changeCommands('commands stay "handled"', { staysHandled: true })
}

/** The service accepts commands, but they never reach the panel: they stay `start` and are not executed. */
export function commandLost(): Fault {
  return changeCommands('commands lost on the way to the panel', { isLost: true })
}

/**
 * The panel executes no command and fails each with this word, e.g. `Replaced` for another client's command.
 */
export function panelRefuses(word: string): Fault {
  return changeCommands(`panel refuses commands: ${word}`, { refusal: word })
}

/**
 * The service has lost the progress of all commands when it is queried; it answers with an error or an empty
 * list.
 *
 * The panel still executes the commands.
 */
export function processesLost(form: 'refusal' | 'empty list' = 'refusal'): Fault {
  return {
    name: `processes lost: ${form}`,
    answer: (getOriginal, { operation, processes }) => {
      if (operation !== 'process_status') return getOriginal()
      processes.clear()
      const response = getOriginal()
      return form === 'refusal' || response.status !== 400 ? response : ok([])
    },
  }
}

function changeCommands(name: string, overrides: Partial<CommandBehavior>): Fault {
  return { name, answer: (getOriginal, { processes }) => processes.withOverrides(overrides, getOriginal) }
}
