import { ok } from '../http/answer.ts'
import type { Conduct } from '../http/processes.ts'
import type { Fault } from './fault.ts'

/** The panel takes its time: commands are done after so many seconds of the world, the panel has them after a second. */
export function slowPanel(seconds: number): Fault {
  return faring(`commands take ${seconds} s`, { secondsUntilDone: seconds })
}

/** Commands are done as ever, but the service never says so: they stay `handled`. */
export function staysHandled(): Fault {
  return faring('commands stay "handled"', { staysHandled: true })
}

/** The service takes commands, and they never reach the panel: they stay `start`, and nothing is done. */
export function commandLost(): Fault {
  return faring('commands lost on the way to the panel', { isLost: true })
}

/** The panel fails every command with this word, and does none; `Replaced` is what a command of somebody else brings. */
export function panelRefuses(word: string): Fault {
  return faring(`panel refuses commands: ${word}`, { refusal: word })
}

/**
 * The service has forgotten how far any command has come when it is asked, and says so, or answers with an empty list.
 *
 * The panel does what it was told all the same.
 */
export function processesForgotten(answer: 'refusal' | 'empty list' = 'refusal'): Fault {
  return {
    name: `processes forgotten: ${answer}`,
    answer: (truth, { operation, processes }) => {
      if (operation !== 'process_status') return truth()
      processes.forget()
      const said = truth()
      return answer === 'refusal' || said.status !== 400 ? said : ok([])
    },
  }
}

function faring(name: string, otherwise: Partial<Conduct>): Fault {
  return { name, answer: (truth, { processes }) => processes.faring(otherwise, truth) }
}
