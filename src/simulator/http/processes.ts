import type { Random } from '../random.ts'
import type { Panel } from '../world/panel.ts'
import type { WorldTime } from '../world/world-time.ts'

/** The progress of a command, as in process_status (field fact). */
export interface Process {
  readonly token: string
  status: 'start' | 'handled' | 'succeeded' | 'failed'
  message: string
  error: string | null
}

/** Executes a command; returns null, or a word for the reason of a failure. */
export type CommandExecutor = () => string | null

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
  isPending: boolean
}

const defaultBehavior: CommandBehavior = {
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
  readonly #entries = new Map<Panel, readonly Entry[]>()
  #behavior: CommandBehavior

  /** @param behavior deviations from the usual behavior of commands */
  constructor(time: WorldTime, random: Random, behavior: Partial<CommandBehavior> = {}) {
    this.#time = time
    this.#random = random
    this.#behavior = { ...defaultBehavior, ...behavior }
  }

  /** Sends a command to a panel and returns its token; replaces an earlier command that is not done yet. */
  start(panel: Panel, execute: CommandExecutor): string {
    const behavior = this.#behavior
    const process: Process = { token: this.#random.uuid(), status: 'start', message: '', error: null }
    const entry = { process, isPending: true }
    const known = this.#entries.get(panel) ?? []
    for (const earlier of known) if (earlier.isPending) finish(earlier, 'Replaced')
    this.#entries.set(panel, [...known.slice(1 - maxProcesses), entry])
    if (!behavior.isLost) this.#deliver(panel, entry, behavior, execute)
    return process.token
  }

  /** Returns the processes of a panel with these tokens, in the requested order, without unknown ones. */
  find(panel: Panel, tokens: readonly string[]): Process[] {
    const known = (this.#entries.get(panel) ?? []).map(({ process }) => process)
    return tokens.flatMap((token) => known.find((process) => process.token === token) ?? [])
  }

  /** Removes all processes; the panels still execute their commands. */
  clear(): void {
    this.#entries.clear()
  }

  /** Runs `action`; the commands that it starts keep this behavior until they end. */
  withOverrides<T>(overrides: Partial<CommandBehavior>, action: () => T): T {
    const before = this.#behavior
    this.#behavior = { ...before, ...overrides }
    try {
      return action()
    } finally {
      this.#behavior = before
    }
  }

  #deliver(panel: Panel, entry: Entry, behavior: CommandBehavior, execute: CommandExecutor): void {
    const { secondsUntilHandled, secondsUntilDone, refusal, staysHandled } = behavior
    this.#time.after(secondsUntilHandled, () => {
      if (entry.process.status === 'start') entry.process.status = 'handled'
    })
    this.#time.after(secondsUntilDone, () => {
      if (!entry.isPending) return
      const failureReason = panel.online ? (refusal ?? execute()) : 'NotConnected'
      if (staysHandled) entry.isPending = false
      else finish(entry, failureReason)
    })
  }
}

/** Field fact: this error, and `Replaced` as its message, were seen; the other messages are ours. */
function finish(entry: Entry, failureReason: string | null): void {
  entry.isPending = false
  const { process } = entry
  process.status = failureReason === null ? 'succeeded' : 'failed'
  if (failureReason === null) return
  process.error = 'PMAX_ERROR'
  process.message = failureReason
}
