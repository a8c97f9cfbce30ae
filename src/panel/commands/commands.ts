import { isClosed, KeyholderError } from '../../service/error.ts'
import { labelOf } from '../../settings.ts'
import type { Snapshot } from '../snapshot.ts'
import { ArmingWithBypass } from './bypass/arming-with-bypass.ts'
import { readBypassedZones } from './bypass/bypassed-zones.ts'
import { doorsLeftOut, leftOutError } from './bypass/left-out-doors.ts'
import type { TakingBack } from './bypass/taking-back.ts'
import {
  type Command,
  cancels,
  capitalized,
  describeCommand,
  isDisarm,
  notCarriedOut,
  type SetState,
  unknownOutcome,
} from './command.ts'
import { CommandExecution, type Executed } from './command-execution.ts'
import {
  type CommandQueue,
  type CommandTurn,
  type CompletedCommand,
  queueOf,
  replacedError,
} from './command-queue.ts'
import { type CommandedPanel, CurrentState, nightCommand } from './current-state.ts'
import { isForceArm } from './preconditions.ts'

/** The dependencies of the commands to a panel. */
interface CommandsOptions {
  panel: CommandedPanel
  /** Gets what a Catch node should know and no answer tells; must not throw. */
  reportOutage(error: KeyholderError): void
  /** The queue of several processes; without it, that of this process. */
  queue?: CommandQueue | undefined
}

/** A command under way. */
interface Execution {
  /** True if the panel may have received it. */
  readonly wasSent: boolean
  /** The panel's own word for how zones can be bypassed; empty if it is not known. */
  readonly bypassMode: string
  /** A sentence about the zones that a stop of the flow leaves bypassed, with a space before it; else empty or absent. */
  readonly leftByStop?: string
  /** The bypasses to take back after a disarm that has canceled it. */
  readonly dueAfterDisarm?: TakingBack | undefined
}

/** The commands of flows to one panel, one after another. */
export class Commands {
  /** Called when a command arrives, before it is carried out; they must not throw. */
  readonly listeners = new Set<() => void>()
  readonly #panel: CommandedPanel
  readonly #queue: CommandQueue
  readonly #reportOutage: CommandsOptions['reportOutage']
  #ignoreOrphans = () => {}
  #isClosed = false
  /** For each command that is still being read, the disarms that have come since its arrival. */
  readonly #unread = new Set<Command[]>()
  /** By partition, the latest arming whose exit delay is awaited. */
  readonly #looks = new Map<number, symbol>()

  constructor({ panel, reportOutage, queue }: CommandsOptions) {
    this.#panel = panel
    this.#queue = queue ?? queueOf(panel.account, panel.settings.serial)
    this.#reportOutage = reportOutage
  }

  /** Listens for commands of other processes that were killed. */
  start(): void {
    if (this.#isClosed || !this.#panel.settings.allowCommands) return
    this.#ignoreOrphans =
      this.#queue.onOrphan?.((...orphan) => this.#tellOrphan(...orphan)) ?? this.#ignoreOrphans
  }

  /** Ends what goes on beside the commands of flows. */
  close(): void {
    this.#isClosed = true
    this.#ignoreOrphans()
  }

  /**
   * Throws unless the user has allowed commands to this panel.
   * @throws KeyholderError COMMANDS_DISABLED
   */
  refuseUnlessAllowed(): void {
    if (this.#panel.settings.allowCommands) return
    const remedy = `Turn on "${labelOf('allowCommands')}" in the alarm panel node if you want them.`
    throw new KeyholderError('COMMANDS_DISABLED', `Commands are turned off for this panel. ${remedy}`)
  }

  /**
   * Executes a command and resolves when it is done. The command is sent at most once, whatever happens.
   * @param arrived the command, or a promise of one whose fields come from elsewhere: the arrival counts for a disarm
   * @param signal aborted when the flow stops: a command that is not sent by then is not sent
   * @param node the id of the flow node that the command came to
   * @throws KeyholderError the reason why it was not sent, or COMMAND_FAILED; CLOSED, with the reason
   * `Unknown` if it was sent
   */
  async execute(
    arrived: Command | Promise<Command>,
    signal: AbortSignal,
    node = '',
  ): Promise<Snapshot<CompletedCommand>> {
    for (const listener of this.listeners) listener()
    const { clock } = this.#panel.account
    const arrivedAt = clock.monotonic()
    const earlier = [...this.#unread]
    const command = arrived instanceof Promise ? await this.#read(arrived) : arrived
    this.refuseUnlessAllowed()
    if (isDisarm(command)) for (const disarms of earlier) disarms.push(command)
    let execution: Execution | undefined
    try {
      return await this.#queue.run({ command, node, signal }, async (turn) => {
        const isNight = command.action === 'set_state' && command.state === 'NIGHT'
        const own = isNight ? await this.#nightInOwnWords(command, turn) : command
        const { fetchedAt, at, sentAt, ...result } = await this.#begin(own, turn, signal, (begun) => {
          execution = begun
        })
        const tookMs = Math.round(clock.monotonic() - arrivedAt)
        return { view: { tookMs, ...result }, fetchedAt, at, sentAt, validFor: Number.POSITIVE_INFINITY }
      })
    } catch (thrown) {
      const { leftByStop = '', dueAfterDisarm } = execution ?? {}
      if (dueAfterDisarm !== undefined) void this.#takeBackAfterDisarm(dueAfterDisarm, command, signal)
      if (!isClosed(thrown) || thrown.reason !== undefined) throw thrown
      const what = `${this.#panel.title()}: ${capitalized(describeCommand(command))}`
      if (!execution?.wasSent)
        throw new KeyholderError(
          'CLOSED',
          `${what} was not sent, because the flow was stopped. If you still want it, send it again.${leftByStop}`,
        )
      const sentence = `${what} was sent, but the flow was stopped before the result was known. Look at the panel.${leftByStop}`
      throw new KeyholderError('CLOSED', sentence, { reason: unknownOutcome })
    }
  }

  /**
   * Waits until a command is read.
   * @throws KeyholderError COMMAND_FAILED if a disarm that came meanwhile cancels it
   */
  async #read(reading: Promise<Command>): Promise<Command> {
    const disarms: Command[] = []
    this.#unread.add(disarms)
    const command = await reading.finally(() => this.#unread.delete(disarms))
    if (disarms.some((disarm) => cancels(disarm, command))) throw replacedError(command)
    return command
  }

  /** Returns a command for the night in the words of the panel. */
  async #nightInOwnWords(command: SetState, turn: CommandTurn): Promise<Command> {
    try {
      return nightCommand(command, await new CurrentState(this.#panel, turn.cancellation).info())
    } catch (thrown) {
      throw turn.cancellation.aborted ? turn.cancellation.reason : notCarriedOut(command, thrown)
    }
  }

  /** Tells what became of a command of another process that was killed. */
  #tellOrphan(command: Command, mayBeSent: boolean): void {
    const what = `${this.#panel.title()}: ${capitalized(describeCommand(command))}`
    const became = mayBeSent
      ? 'may have been sent, and its result is not known, because its Node-RED instance was killed. Look at the panel.'
      : 'was not sent, because its Node-RED instance was killed. If you still want it, send it again.'
    const reason = mayBeSent ? { reason: unknownOutcome } : {}
    this.#reportOutage(new KeyholderError('CLOSED', `${what} ${became}`, reason))
  }

  async #begin(
    command: Command,
    turn: CommandTurn,
    signal: AbortSignal,
    begun: (execution: Execution) => void,
  ): Promise<Executed & Pick<CompletedCommand, 'bypassed' | 'open'>> {
    const panel = this.#panel
    const isArming = command.action === 'set_state' && !isDisarm(command)
    if (!isArming || command.openZones !== 'bypass') {
      const execution = new CommandExecution(command, panel, turn, signal)
      begun(execution)
      const done = await execution.checkSendAndFollow()
      if (!isArming) return done
      this.#lookAfterExitDelay(command, execution, done, signal)
      return { ...done, bypassed: await readBypassedZones(command, [], panel, turn.cancellation) }
    }
    const arming = new ArmingWithBypass(command, { panel, turn, signal })
    begun(arming)
    const done = await arming.execute()
    this.#lookAfterExitDelay(command, arming, done, signal)
    return { ...done, bypassed: await readBypassedZones(command, done.bypassed, panel, turn.cancellation) }
  }

  /**
   * Tells the doors that a panel has left out by itself after an arming: what it does at the end of the exit delay is in no
   * answer.
   */
  #lookAfterExitDelay(
    command: SetState,
    { bypassMode }: Execution,
    { already }: Executed,
    signal: AbortSignal,
  ): void {
    if (already || !isForceArm(bypassMode)) return
    const look = Symbol('look')
    this.#looks.set(command.partition, look)
    const isLatest = () => this.#looks.get(command.partition) === look
    void doorsLeftOut(command, this.#panel, isLatest, signal).then((doors) => {
      if (doors.length > 0) this.#reportOutage(leftOutError(doors, this.#panel.title()))
    })
  }

  /**
   * Takes back what an arming has bypassed that a disarm has canceled: with a turn for each zone, so that a disarm can go in
   * between. Never rejects.
   */
  async #takeBackAfterDisarm(back: TakingBack, arming: Command, signal: AbortSignal): Promise<void> {
    const panel = this.#panel
    for (const { zone } of back.due) {
      const incoming = { command: { action: 'bypass', zone, enabled: false }, node: '', signal } as const
      const work = async (turn: CommandTurn) => {
        await back.run({ panel, turn, signal }, 1)
        return nothingTold
      }
      await this.#queue.run(incoming, work).catch(() => {})
    }
    if (back.isComplete || this.#isClosed) return
    const what = `${panel.title()}: ${capitalized(describeCommand(arming))} was canceled by a disarm.`
    this.#reportOutage(new KeyholderError('COMMAND_FAILED', `${what} ${back.sentence}`))
  }
}

/** The result of a step that no flow has asked for. */
const nothingTold: Snapshot<CompletedCommand> = {
  view: { tookMs: 0, already: false },
  ...{ fetchedAt: 0, at: 0, sentAt: 0, validFor: 0 },
}
