import type { Random } from '../../random.ts'
import type { Panel } from '../../world/panel.ts'
import type { WorldTime } from '../../world/world-time.ts'

/** The progress of a command, as in process_status (field fact). */
export interface Process {
  readonly token: string
  status: 'start' | 'handled' | 'succeeded' | 'failed'
  message: string
  error: string | null
}

/** Executes a command; returns null, or a word for the reason of a failure. */
export type CarryOut = () => string | null

/** The behavior of commands on the way to the panel and in it. */
export interface CommandBehavior {
  /** Seconds of the simulated world until the panel receives a command. */
  readonly secondsUntilHandled: number
  /** Seconds of the simulated world until the panel has executed it. */
  readonly secondsUntilDone: number
  /** True if a command never reaches the panel. */
  readonly isLost: boolean
  /** The panel's reason to refuse every command; null to use the real result. */
  readonly refusal: string | null
  /** True if a command is executed, but stays `handled` (field fact: some clients do not wait longer). */
  readonly staysHandled: boolean
}

interface Entry {
  readonly process: Process
  isUnderWay: boolean
}

const usual: CommandBehavior = {
  secondsUntilHandled: 1,
  secondsUntilDone: 2,
  isLost: false,
  refusal: null,
  staysHandled: false,
}

const maxProcesses = 50

/**
 * The commands that the service sends to panels; only the newest one of each panel is in progress (field
 * fact).
 */
export class Processes {
  readonly #time: WorldTime
  readonly #random: Random
  readonly #known = new Map<Panel, readonly Entry[]>()
  #conduct: CommandBehavior

  /** @param conduct deviations from the usual behavior of commands */
  constructor(time: WorldTime, random: Random, conduct: Partial<CommandBehavior> = {}) {
    this.#time = time
    this.#random = random
    this.#conduct = { ...usual, ...conduct }
  }

  /** Sends a command to a panel and returns its token; replaces an earlier command that is not done yet. */
  start(panel: Panel, carryOut: CarryOut): string {
    const conduct = this.#conduct
    const process: Process = { token: this.#random.uuid(), status: 'start', message: '', error: null }
    const entry = { process, isUnderWay: true }
    const known = this.#known.get(panel) ?? []
    for (const earlier of known) if (earlier.isUnderWay) end(earlier, 'Replaced')
    this.#known.set(panel, [...known.slice(1 - maxProcesses), entry])
    if (!conduct.isLost) this.#pass(panel, entry, conduct, carryOut)
    return process.token
  }

  /** Returns the processes of a panel with these tokens, in the requested order, without unknown ones. */
  find(panel: Panel, tokens: readonly string[]): Process[] {
    const known = (this.#known.get(panel) ?? []).map(({ process }) => process)
    return tokens.flatMap((token) => known.find((process) => process.token === token) ?? [])
  }

  /** Removes all processes; the panels still execute their commands. */
  forget(): void {
    this.#known.clear()
  }

  /** Runs `action`; the commands that it starts keep this behavior until they end. */
  faring<T>(otherwise: Partial<CommandBehavior>, action: () => T): T {
    const before = this.#conduct
    this.#conduct = { ...before, ...otherwise }
    try {
      return action()
    } finally {
      this.#conduct = before
    }
  }

  #pass(panel: Panel, entry: Entry, conduct: CommandBehavior, carryOut: CarryOut): void {
    const { secondsUntilHandled, secondsUntilDone, refusal, staysHandled } = conduct
    this.#time.after(secondsUntilHandled, () => {
      if (entry.process.status === 'start') entry.process.status = 'handled'
    })
    this.#time.after(secondsUntilDone, () => {
      if (!entry.isUnderWay) return
      const obstacle = panel.online ? (refusal ?? carryOut()) : 'NotConnected'
      if (staysHandled) entry.isUnderWay = false
      else end(entry, obstacle)
    })
  }
}

/** Field fact: this error, and `Replaced` as its message, were seen; the other messages are ours. */
function end(entry: Entry, obstacle: string | null): void {
  entry.isUnderWay = false
  const { process } = entry
  process.status = obstacle === null ? 'succeeded' : 'failed'
  if (obstacle === null) return
  process.error = 'PMAX_ERROR'
  process.message = obstacle
}
