import { ageOf, type Clock, momentOf } from '../../../clock.ts'
import { minute } from '../../../duration.ts'
import { asKeyholderError, type ErrorCode, KeyholderError } from '../../../service/error.ts'
import { wholePanel } from '../../../service/responses/status.ts'
import type { Snapshot } from '../../snapshot.ts'
import type { StateView } from '../../state/partition-state.ts'
import { capitalized, describeCommand, type SetState } from '../command.ts'
import { maxFollowTime } from '../command-progress.ts'
import { type CommandQueue, type CommandTurn, type CompletedCommand, stepOf } from '../command-queue.ts'
import type { CommandedPanel } from '../current-state.ts'
import type { BypassRecord } from './bypass-record.ts'
import type { BypassRecords } from './bypass-records.ts'
import { type Settled, settleRecord, zonesOf } from './settled-record.ts'

/** The reports of a settlement; the functions must not throw. */
export interface SettlementReports {
  /** Reports what a Catch node should know. */
  outage(error: KeyholderError): void
  /** Reports a sentence for the log. */
  notice(sentence: string): void
}

/** The dependencies of a settlement. */
export interface SettlementOptions {
  panel: CommandedPanel
  queue: CommandQueue
  records: BypassRecords
  reports: SettlementReports
  /** Calls `listener` with each state of the panel that is read. Returns a function that ends this. */
  watchState(listener: (view: StateView) => void): () => void
}

/** Milliseconds until the next attempt after a failure; the last one repeats. */
const pauses = [1, 5, 15, 60].map((minutes) => minutes * minute)

/** Errors that a repetition cannot fix, or that must not be repeated: a wrong code counts at the panel. */
const lastingCodes: readonly ErrorCode[] = [
  'BAD_CREDENTIALS',
  'WRONG_USER_CODE',
  'NOT_ALLOWED',
  'NOT_CONFIGURED',
  'BAD_SETTING',
]

/**
 * Takes back the bypasses of armings: of those that a disarm has ended, and of those that failed or were interrupted
 * and did not arm the panel.
 */
export class BypassSettlement {
  readonly #options: SettlementOptions
  readonly #life = new AbortController()
  readonly #clock: Clock
  /** The partitions whose command was interrupted, so that no answer said what became of it. */
  readonly #interrupted = new Set<number>()
  /** The partitions that may be armed although no answer of this process says so, until the log has said so. */
  readonly #untold = new Set<number>()
  #failures = 0
  #running: Promise<void> = Promise.resolve()
  #isPlanned = false
  #cancelTimer = () => {}
  #stopWatching: (() => void) | undefined

  constructor(options: SettlementOptions) {
    this.#options = options
    this.#clock = options.panel.account.clock
  }

  /** Finishes or undoes what an earlier process has left. Never rejects. */
  async start(): Promise<void> {
    const { records, reports, panel } = this.#options
    const warning = await records.load()
    if (warning !== undefined) reports.notice(warning)
    const left = records.all
    if (left.length === 0) return
    for (const { phase, partition } of left)
      (phase === 'armed' ? this.#untold : this.#interrupted).add(partition)
    if (panel.settings.allowCommands) return this.#plan()
    const sentence = `${panel.title()}: ${zonesOf(left)} may still be bypassed, because a command has armed the panel without them. Commands are turned off for this panel now, so the nodes change nothing. Look at the panel.`
    reports.outage(new KeyholderError('COMMANDS_DISABLED', sentence))
  }

  /** Does nothing more from now on; the next process goes on. */
  async close(): Promise<void> {
    this.#life.abort()
    this.#cancelTimer()
    this.#stopWatching?.()
    await this.#options.records.close()
  }

  /** Settles the record of a command that was interrupted, when its requests can no longer take effect. */
  settleLater(partition: number): void {
    this.#interrupted.add(partition)
    this.#plan()
  }

  /** Settles the record of a command that was canceled, as soon as the queue allows. */
  settleSoon(partition: number): void {
    this.#untold.add(partition)
    this.#plan()
  }

  /** Returns true if it tries again later what could not be settled in the turn of a command. */
  settleAfterFailure(partition: number, error: KeyholderError): boolean {
    this.#untold.add(partition)
    return this.#retryAfter(error)
  }

  /** Notes that the panel was armed. */
  noteArmed(): void {
    this.#failures = 0
    this.watch()
  }

  /** Looks at the state of the panel while zones wait for a disarm. */
  watch(): void {
    const { records, watchState } = this.#options
    const isWanted = records.all.some(({ phase, restore }) => restore || phase !== 'armed')
    if (!isWanted) {
      this.#stopWatching?.()
      this.#stopWatching = undefined
    } else if (!this.#life.signal.aborted) {
      const listen = (view: StateView) => {
        // After a failure, the pauses decide.
        const isDue = this.#failures === 0 && records.all.some((one) => isDisarmedIn(view, one.partition))
        if (isDue) this.#plan()
      }
      this.#stopWatching ??= watchState(listen)
    }
  }

  /**
   * Takes back, before a command that arms, what earlier ones have left bypassed.
   * @throws KeyholderError if that fails: the panel would be armed with zones left out that nobody has named
   */
  async settleBefore(command: SetState, turn: CommandTurn, signal: AbortSignal): Promise<void> {
    for (const record of this.#options.records.all) {
      const { partition } = record
      if (![partition, command.partition].includes(wholePanel) && partition !== command.partition) continue
      const settled = await this.settleInTurn(partition, turn, signal)
      if (settled !== undefined) this.#report(record, settled)
    }
  }

  /**
   * Does what is to be done about the record of a partition, in the turn of a command.
   * @param maxSteps commands that are sent at most
   * @throws KeyholderError
   */
  async settleInTurn(
    partition: number,
    turn: CommandTurn,
    signal: AbortSignal,
    maxSteps = Number.POSITIVE_INFINITY,
  ): Promise<Settled | undefined> {
    const { panel, records } = this.#options
    const settled = await settleRecord(partition, { panel, records, turn: stepOf(turn), signal, maxSteps })
    if (settled?.what === 'take back') this.#failures = 0
    this.watch()
    return settled
  }

  #plan(): void {
    if (this.#isPlanned || this.#life.signal.aborted) return
    this.#isPlanned = true
    this.#running = this.#running.then(() => {
      this.#isPlanned = false
      return this.#settleAll()
    })
  }

  /** Never rejects. */
  async #settleAll(): Promise<void> {
    const { records } = this.#options
    const now = momentOf(this.#clock)
    this.#cancelTimer()
    try {
      for (const record of records.all) {
        const wait = this.#interrupted.has(record.partition) ? maxFollowTime - ageOf(record.at, now) : 0
        if (wait > 0) this.#planIn(wait)
        else await this.#settle(record)
      }
      this.#failures = 0
      this.watch()
    } catch (thrown) {
      if (this.#life.signal.aborted) return
      const error = asKeyholderError(thrown)
      if (this.#failures === 0) this.#reportFailure(error)
      this.#retryAfter(error)
    }
  }

  /** Settles one record, with a turn for each command, so that a disarm can go in between. */
  async #settle(record: BypassRecord): Promise<void> {
    const { signal } = this.#life
    const [zone = 0] = record.zones
    const incoming = { command: { action: 'bypass', zone, enabled: false }, node: '', signal } as const
    const turns: Settled[] = []
    do {
      await this.#options.queue.run(incoming, async (turn) => {
        const settled = await this.settleInTurn(record.partition, turn, signal, 1)
        if (settled !== undefined) turns.push(settled)
        return ended
      })
    } while (turns.at(-1)?.isPartial)
    const last = turns.at(-1)
    // The first turn names all zones.
    const first = turns.find(({ what }) => what === last?.what)
    if (first !== undefined) this.#report(record, first)
  }

  #planIn(ms: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(ms, () => this.#plan())
  }

  /** Returns true if it tries again. */
  #retryAfter(error: KeyholderError): boolean {
    const pause = pauses[Math.min(this.#failures, pauses.length - 1)] as number
    this.#failures += 1
    const isWorthIt = !lastingCodes.includes(error.code) && !this.#life.signal.aborted
    if (isWorthIt) this.#planIn(pause)
    return isWorthIt
  }

  /** Tells what became of a record, if no answer of a command does. */
  #report(record: BypassRecord, { what, sentence }: Settled): void {
    const { reports, panel } = this.#options
    const command = `${panel.title()}: ${capitalized(describeCommand(commandOf(record)))}`
    if (this.#interrupted.delete(record.partition)) {
      const became =
        what === 'armed' ? 'was carried out, but could not be answered' : 'was not carried out to its end'
      const why = 'because the flow or Node-RED was stopped.'
      reports.outage(new KeyholderError('CLOSED', `${command} ${became}, ${why} ${sentence}`))
      this.#untold.delete(record.partition)
    } else if (what === 'take back') reports.notice(`${command} has ended. ${sentence}`)
    else if (this.#untold.delete(record.partition))
      reports.notice(`${command} is still in effect. ${sentence}`)
  }

  #reportFailure({ code, message, status, reason }: KeyholderError): void {
    const { reports, records, panel } = this.#options
    const still = `${panel.title()}: ${zonesOf(records.all)} may still be bypassed, because a command has armed the panel without them. `
    const remedy = lastingCodes.includes(code) ? ' Look at the panel.' : ' The nodes try again.'
    reports.outage(new KeyholderError(code, `${still}${message}${remedy}`, { status, reason }))
  }
}

/** The outcome of a settlement for the queue; no flow sees it. */
const ended: Snapshot<CompletedCommand> = {
  view: { tookMs: 0, already: false },
  fetchedAt: 0,
  at: 0,
  sentAt: 0,
  validFor: 0,
}

function commandOf({ partition, state }: BypassRecord): SetState {
  return { action: 'set_state', partition, state, options: [] }
}

/** Returns true if a partition, or all of them, are disarmed in a state of the panel. */
function isDisarmedIn(view: StateView, partition: number): boolean {
  const partitions = view.partitions.filter(({ id }) => partition === wholePanel || id === partition)
  return partitions.every(({ value }) => value === 'DISARM')
}
