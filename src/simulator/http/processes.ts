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

const secondsUntilHandled = 1
const secondsUntilDone = 2
const kept = 50

/** The commands that the service passes on to panels, the newest of each panel under way (field fact). */
export class Processes {
  readonly #time: WorldTime
  readonly #random: Random
  readonly #known = new Map<Panel, Process[]>()

  constructor(time: WorldTime, random: Random) {
    this.#time = time
    this.#random = random
  }

  /** Passes a command on to a panel; one that the panel has not done yet is replaced. Answers its token. */
  start(panel: Panel, carryOut: CarryOut): string {
    const process: Process = { token: uuid(this.#random), status: 'start', message: '', error: null }
    const known = this.#known.get(panel) ?? []
    for (const earlier of known) if (isUnderWay(earlier)) fail(earlier, 'Replaced')
    this.#known.set(panel, [...known.slice(1 - kept), process])
    this.#time.after(secondsUntilHandled, () => {
      if (isUnderWay(process)) process.status = 'handled'
    })
    this.#time.after(secondsUntilDone, () => {
      if (isUnderWay(process)) finish(process, panel.online ? carryOut() : 'NotConnected')
    })
    return process.token
  }

  /** The processes of a panel with these tokens, in the order asked for; unknown ones are left out. */
  find(panel: Panel, tokens: readonly string[]): Process[] {
    const known = this.#known.get(panel) ?? []
    return tokens.flatMap((token) => known.find((process) => process.token === token) ?? [])
  }
}

function isUnderWay({ status }: Process): boolean {
  return status === 'start' || status === 'handled'
}

function finish(process: Process, obstacle: string | null): void {
  if (obstacle === null) process.status = 'succeeded'
  else fail(process, obstacle)
}

/** Field fact: the error is this one, `Replaced` a message seen with it; the other messages are ours. */
function fail(process: Process, message: string): void {
  process.status = 'failed'
  process.error = 'PMAX_ERROR'
  process.message = message
}
