import type { AccountRegistry } from '../../account/account-registry.ts'
import { isClosed, KeyholderError } from '../../service/error.ts'
import { labelOf } from '../../settings.ts'
import type { Snapshot } from '../snapshot.ts'
import { ArmingWithBypass } from './bypass/arming-with-bypass.ts'
import type { BypassRecords } from './bypass/bypass-records.ts'
import { BypassSettlement, type SettlementUser } from './bypass/bypass-settlement.ts'
import { readBypassedZones } from './bypass/bypassed-zones.ts'
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

/** The dependencies of the commands to a panel. */
interface CommandsOptions extends Omit<SettlementUser, 'queue'> {
  /** Opens the file of the panel with the bypasses made by arming commands. */
  openRecords(): BypassRecords
  /** The queue of several processes; without it, that of this process. */
  queue?: CommandQueue | undefined
}

/** The commands of flows to one panel, one after another. */
export class Commands {
  /** Called when a command arrives, before it is carried out; they must not throw. */
  readonly listeners = new Set<() => void>()
  readonly #panel: CommandedPanel
  readonly #queue: CommandQueue
  readonly #user: SettlementUser
  readonly #openRecords: () => BypassRecords
  #joined: BypassSettlement | undefined
  #ignoreOrphans = () => {}
  #isClosed = false
  /** For each command that is still being read, the disarms that have come since its arrival. */
  readonly #unread = new Set<Command[]>()

  constructor({ panel, openRecords, reports, watchState, queue }: CommandsOptions) {
    this.#panel = panel
    this.#queue = queue ?? queueOf(panel.account, panel.settings.serial)
    this.#user = { panel, queue: this.#queue, reports, watchState }
    this.#openRecords = openRecords
  }

  /** Finishes or undoes what an earlier process has left. Never rejects. */
  async start(): Promise<void> {
    if (this.#isClosed) return
    if (this.#panel.settings.allowCommands)
      this.#ignoreOrphans =
        this.#queue.onOrphan?.((...orphan) => this.#tellOrphan(...orphan)) ?? this.#ignoreOrphans
    await this.#settlement.start()
  }

  /** Ends what goes on beside the commands of flows. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#ignoreOrphans()
    await this.#joined?.leave(this.#user)
  }

  get #settlement(): BypassSettlement {
    this.#joined ??= joinSettlement(this.#user, this.#openRecords)
    return this.#joined
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
    let execution: { readonly wasSent: boolean } | undefined
    try {
      return await this.#queue.run({ command, node, signal }, async (turn) => {
        const isNight = command.action === 'set_state' && command.state === 'NIGHT'
        const own = isNight ? await this.#nightInOwnWords(command, turn) : command
        if (own.action === 'set_state') await this.#settleBefore(own, turn, signal)
        const { fetchedAt, at, sentAt, ...result } = await this.#begin(own, turn, signal, (begun) => {
          execution = begun
        })
        const tookMs = Math.round(clock.monotonic() - arrivedAt)
        return { view: { tookMs, ...result }, fetchedAt, at, sentAt, validFor: Number.POSITIVE_INFINITY }
      })
    } catch (thrown) {
      if (!isClosed(thrown) || thrown.reason !== undefined) throw thrown
      const what = `${this.#panel.title()}: ${capitalized(describeCommand(command))}`
      if (!execution?.wasSent)
        throw new KeyholderError(
          'CLOSED',
          `${what} was not sent, because the flow was stopped. If you still want it, send it again.`,
        )
      const sentence = `${what} was sent, but the flow was stopped before the result was known. Look at the panel.`
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
    this.#user.reports.outage(new KeyholderError('CLOSED', `${what} ${became}`, reason))
  }

  async #begin(
    command: Command,
    turn: CommandTurn,
    signal: AbortSignal,
    begun: (execution: { readonly wasSent: boolean }) => void,
  ): Promise<Executed & Pick<CompletedCommand, 'bypassed'>> {
    const panel = this.#panel
    if (command.action !== 'set_state' || isDisarm(command)) {
      const execution = new CommandExecution(command, panel, turn, signal)
      begun(execution)
      const done = await execution.checkSendAndFollow()
      await this.#noteDone(command, done)
      return done
    }
    if (command.openZones !== 'bypass') {
      const execution = new CommandExecution(command, panel, turn, signal)
      begun(execution)
      const done = await execution.checkSendAndFollow()
      return { ...done, bypassed: await readBypassedZones(command, [], panel, turn.cancellation) }
    }
    const arming = new ArmingWithBypass(command, { panel, turn, signal, settlement: this.#settlement })
    begun(arming)
    const done = await arming.execute()
    return { ...done, bypassed: await readBypassedZones(command, done.bypassed, panel, turn.cancellation) }
  }

  /** Never rejects. */
  async #noteDone(command: Command, { already }: Executed): Promise<void> {
    if (command.action === 'bypass') await this.#settlement.release(command.zone)
    if (command.action === 'set_state' && isDisarm(command) && !already)
      this.#settlement.noteDisarmed(command.partition)
  }

  async #settleBefore(command: SetState, turn: CommandTurn, signal: AbortSignal): Promise<void> {
    // A disarm waits for nothing that it can do without.
    if (isDisarm(command)) return
    try {
      await this.#settlement.refresh()
      await this.#settlement.settleBefore(command, { panel: this.#panel, turn, signal })
    } catch (thrown) {
      throw turn.cancellation.aborted ? turn.cancellation.reason : notCarriedOut(command, thrown)
    }
  }
}

/** The settlements of the panels, by host and serial. */
const settlements = new WeakMap<AccountRegistry, Map<string, BypassSettlement>>()

/**
 * Adds a config node to the settlement of its panel, which all of them share, also through different accounts: what
 * one has left bypassed must not depend on its node.
 * @param openRecords opens the records of the panel for the first config node
 */
function joinSettlement(user: SettlementUser, openRecords: () => BypassRecords): BypassSettlement {
  const { registry, settings, clock } = user.panel.account
  const byPanel = settlements.get(registry) ?? new Map<string, BypassSettlement>()
  settlements.set(registry, byPanel)
  const key = JSON.stringify([new URL(settings.url).host, user.panel.settings.serial])
  const known = byPanel.get(key)
  const settlement = known?.isClosed === false ? known : new BypassSettlement(openRecords(), clock)
  byPanel.set(key, settlement)
  settlement.join(user)
  return settlement
}
