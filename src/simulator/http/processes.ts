import type { Panel } from '../world/panel.ts'
import type { Random } from '../world/random.ts'
import type { WorldTime } from '../world/world-time.ts'
import { uuid } from './uuid.ts'

/** How far a command has come, as process_status tells it (field fact). */
export interface Process {
  readonly token: string
  status: 'start' | 'handled' | 'succeeded' | 'failed'
  message: string
  error: string | null
}

/** Does what was commanded; answers null, or a word for what the panel holds against it. */
export type CarryOut = () => string | null

/** How commands fare on their way to a panel and there. */
export interface Conduct {
  /** Seconds of the world until the panel has it. */
  readonly secondsUntilHandled: number
  /** Seconds of the world until the panel has done it. */
  readonly secondsUntilDone: number
  /** Never reaches the panel. */
  readonly isLost: boolean
  /** What the panel holds against it, whatever it is; null: what there really is. */
  readonly refusal: string | null
  /** Ends like any other, but nobody is told: it stays `handled` (field fact: some clients wait for no more). */
  readonly staysHandled: boolean
}

interface Entry {
  readonly process: Process
  isUnderWay: boolean
}

const usual: Conduct = {
  secondsUntilHandled: 1,
  secondsUntilDone: 2,
  isLost: false,
  refusal: null,
  staysHandled: false,
}

const kept = 50

/** The commands that the service passes on to panels, the newest of each panel under way (field fact). */
export class Processes {
  readonly #time: WorldTime
  readonly #random: Random
  readonly #known = new Map<Panel, readonly Entry[]>()
  #conduct: Conduct

  /** @param conduct in what commands fare otherwise than usual */
  constructor(time: WorldTime, random: Random, conduct: Partial<Conduct> = {}) {
    this.#time = time
    this.#random = random
    this.#conduct = { ...usual, ...conduct }
  }

  /** Passes a command on to a panel; one that the panel has not done yet is replaced. Answers its token. */
  start(panel: Panel, carryOut: CarryOut): string {
    const conduct = this.#conduct
    const process: Process = { token: uuid(this.#random), status: 'start', message: '', error: null }
    const entry = { process, isUnderWay: true }
    const known = this.#known.get(panel) ?? []
    for (const earlier of known) if (earlier.isUnderWay) end(earlier, 'Replaced')
    this.#known.set(panel, [...known.slice(1 - kept), entry])
    if (!conduct.isLost) this.#pass(panel, entry, conduct, carryOut)
    return process.token
  }

  /** The processes of a panel with these tokens, in the order asked for; unknown ones are left out. */
  find(panel: Panel, tokens: readonly string[]): Process[] {
    const known = (this.#known.get(panel) ?? []).map(({ process }) => process)
    return tokens.flatMap((token) => known.find((process) => process.token === token) ?? [])
  }

  /** Knows no process any more; the panels do what they were told all the same. */
  forget(): void {
    this.#known.clear()
  }

  /** Does `action`; the commands that it starts fare in this way, all their life. */
  faring<T>(otherwise: Partial<Conduct>, action: () => T): T {
    const before = this.#conduct
    this.#conduct = { ...before, ...otherwise }
    try {
      return action()
    } finally {
      this.#conduct = before
    }
  }

  #pass(panel: Panel, entry: Entry, conduct: Conduct, carryOut: CarryOut): void {
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

/** Field fact: the error is this one, `Replaced` a message seen with it; the other messages are ours. */
function end(entry: Entry, obstacle: string | null): void {
  entry.isUnderWay = false
  const { process } = entry
  process.status = obstacle === null ? 'succeeded' : 'failed'
  if (obstacle === null) return
  process.error = 'PMAX_ERROR'
  process.message = obstacle
}
