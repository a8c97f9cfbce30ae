import { ok } from '../http/http-response.ts'
import type { CommandBehavior } from '../http/processes.ts'
import type { Fault } from './fault.ts'

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
