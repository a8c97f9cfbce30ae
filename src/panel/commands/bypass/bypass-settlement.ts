import type { Clock } from '../../../clock.ts'
import { asKeyholderError, KeyholderError } from '../../../service/error.ts'
import type { Snapshot } from '../../snapshot.ts'
import type { StateView } from '../../state/partition-state.ts'
import { describeCommand, type SetState } from '../command.ts'
import { type CommandQueue, type CompletedCommand, stepOf } from '../command-queue.ts'
import type { CommandedPanel } from '../current-state.ts'
import type { BypassRecord, BypassRecords } from './bypass-records.ts'
import { recordsOf, type Settled, type SettlingCommand, settleRecord } from './settled-record.ts'
import { isLasting, SettlementProgress } from './settlement-progress.ts'
import { type SettlementReceiver, SettlementReports } from './settlement-reports.ts'

/** Calls `listener` with each state of the panel that is read. Returns a function that ends this. */
type WatchState = (listener: (view: StateView) => void) => () => void

/** A config node of the panel, as far as a settlement uses it. */
export interface SettlementUser {
  panel: CommandedPanel
  queue: CommandQueue
  reports: SettlementReceiver
  watchState: WatchState
}

/**
 * Takes back the bypasses of armings: of those that a disarm has ended, and of those that failed or were interrupted
 * and did not arm the panel.
 *
 * All config nodes of a panel share one. What is not done in the turn of a command, the first of them does whose flows
 * may send commands; the others go on when it is gone.
 */
export class BypassSettlement {
  readonly records: BypassRecords
  readonly #users = new Set<SettlementUser>()
  readonly #clock: Clock
  readonly #reports: SettlementReports
  readonly #progress: SettlementProgress
  /** Ends the look for disarms; undefined while nobody looks. */
  #stopWatching: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()
  #isStarted = false
  /** The records of gone processes that were noted, each with its process. */
  readonly #left = new Set<string>()
  #stopFollowing = () => {}
  /** True when the last config node has left. */
  isClosed = false
  /** Ends the settlement under way. */
  #settling: AbortController | undefined
  #isPlanned = false
  #cancelTimer = () => {}

  constructor(records: BypassRecords, clock: Clock) {
    this.records = records
    this.#clock = clock
    const reports = {
      outage: (error: KeyholderError) => this.#first?.reports.outage(error),
      notice: (sentence: string) => this.#first?.reports.notice(sentence),
    }
    this.#reports = new SettlementReports(reports, () => this.#first?.panel.title() ?? '')
    this.#progress = new SettlementProgress(clock)
  }

  /** Adds a config node. */
  join(user: SettlementUser): void {
    this.#users.add(user)
  }

  /** Removes a config node. After the last one nothing more is done; the next process or deploy goes on. */
  async leave(user: SettlementUser): Promise<void> {
    const wasActing = user === this.#acting
    this.#users.delete(user)
    if (wasActing) {
      this.#settling?.abort()
      this.#watchDisarms(false)
    }
    if (this.#users.size > 0) {
      this.#watch()
      this.#plan()
      return
    }
    this.isClosed = true
    this.#cancelTimer()
    this.#stopFollowing()
    await this.records.close()
  }

  /** Finishes or undoes what an earlier process has left, or one that is gone. Never rejects. */
  async start(): Promise<void> {
    // A store that cannot be read is read when it can be.
    const warning = await this.records.refresh().catch(() => undefined)
    if (this.#isStarted) return this.#plan()
    this.#isStarted = true
    this.#stopFollowing = this.records.onChange(() => void this.refresh().catch(() => {}))
    if (warning !== undefined) this.#reports.tellUnusable(warning)
    const { own } = this.records
    this.#noteEarlier(own)
    if (own.length > 0 && this.#acting === undefined) this.#reports.tellTurnedOff(own)
  }

  /**
   * Reads what other processes have changed, and takes over what those that are gone have left.
   * @throws KeyholderError
   */
  async refresh(): Promise<void> {
    await this.records.refresh()
    this.#noteEarlier(
      this.records.own.filter(({ partition }) => this.records.leftBy(partition) !== undefined),
    )
    this.#watch()
  }

  /** Notes the records of earlier and of gone processes, each once. */
  #noteEarlier(left: readonly BypassRecord[]): void {
    for (const record of left) {
      const key = `${record.partition} ${this.records.leftBy(record.partition)}`
      if (!this.#left.has(key)) this.#progress.noteEarlier(record)
      this.#left.add(key)
    }
    if (left.length > 0 && this.#acting !== undefined) this.#plan()
  }

  /** The config node that acts; undefined if none lets flows send commands. */
  get #acting(): SettlementUser | undefined {
    return [...this.#users].find(({ panel }) => panel.settings.allowCommands)
  }

  /** The config node that reports. */
  get #first(): SettlementUser | undefined {
    return this.#acting ?? [...this.#users][0]
  }

  /** Settles the record of a command that was interrupted, when its requests can no longer take effect. */
  settleLater(partition: number): void {
    this.#progress.noteInterrupted(partition)
    this.#plan()
  }

  /** Settles the record of a command that was canceled, as soon as the queue allows. */
  settleSoon(partition: number): void {
    this.#progress.noteEnded(partition)
    this.#plan()
  }

  /** Returns true if it tries again later what could not be settled in the turn of a command. */
  settleAfterFailure(partition: number, error: KeyholderError): boolean {
    this.#progress.noteEnded(partition)
    this.#progress.noteFailure(partition, error)
    this.#planIn(this.#progress.pause)
    return !isLasting(error) && !this.isClosed
  }

  /** Notes that a command has disarmed a partition: what the panel shows from now on is no state from before the arming. */
  noteDisarmed(partition: number): void {
    this.#progress.noteArmed(partition)
    if (this.records.own.length > 0) this.#plan()
  }

  /** Leaves a zone alone from now on, because a command of a flow has bypassed it or ended its bypass. Never rejects. */
  async release(zone: number): Promise<void> {
    // The command is done, whatever the file says.
    const { records } = this
    const before = records.all
    await records.release(zone).catch(() => {})
    for (const { partition } of before) if (!records.get(partition)) this.#progress.noteSuccess(partition)
    this.#watch()
  }

  /** Notes that a partition was armed. */
  noteArmed(partition: number): void {
    this.#progress.noteArming(partition)
    this.#watch()
  }

  /**
   * Takes back, before a command that arms, what earlier ones have left bypassed in the partition.
   * @throws KeyholderError if that fails: the panel would be armed with zones left out that nobody has named
   */
  async settleBefore(command: SetState, settling: SettlingCommand): Promise<void> {
    const { panel, turn } = settling
    for (const record of await recordsOf(command.partition, this.records, panel, turn)) {
      const isFresh = this.#progress.delayOf(record) > 0
      const settled = await this.settleInTurn(record.partition, settling, { isFresh })
      if (settled?.what === 'too early') throw stillUnderWay(record)
      // A zone that an armed partition shares: the answer of a command that bypasses nothing does not name it.
      if (settled?.what === 'wait') this.#progress.noteUntold(record.partition)
      if (settled !== undefined) this.#tell(record, settled)
    }
  }

  /**
   * Does what is to be done about the record of a partition, in the turn of a command: its own when that ends.
   * @throws KeyholderError
   */
  async settleInTurn(
    partition: number,
    { panel, turn, signal }: SettlingCommand,
    { maxSteps = Number.POSITIVE_INFINITY, isFresh = false } = {},
  ): Promise<Settled | undefined> {
    const { records } = this
    const isUnwatched = this.#progress.isUnwatched(partition)
    const settling = { panel, records, turn: stepOf(turn), signal, maxSteps, isFresh, isUnwatched }
    const settled = await settleRecord(partition, settling)
    if (settled?.what !== 'too early') this.#progress.noteWatched(partition)
    this.#progress.noteSuccess(partition)
    this.#watch()
    return settled
  }

  /** Looks for a disarm while zones wait for one. */
  #watch(): void {
    const isWanted = this.records.own.some(({ phase, restore }) => restore || phase !== 'armed')
    if (!isWanted || this.#acting !== undefined) this.#watchDisarms(isWanted)
  }

  #watchDisarms(isOn: boolean): void {
    if (isOn) {
      this.#stopWatching ??= this.#acting?.watchState((view) => {
        if (this.#progress.noteStates(view)) this.#plan()
      })
      return
    }
    this.#stopWatching?.()
    this.#stopWatching = undefined
    this.#progress.forgetStates()
  }

  #plan(): void {
    if (this.#isPlanned || this.isClosed) return
    this.#isPlanned = true
    this.#running = this.#running.then(() => {
      this.#isPlanned = false
      return this.#settleAll()
    })
  }

  #planIn(ms: number | undefined): void {
    if (ms === undefined || this.isClosed) return
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(ms, () => this.#plan())
  }

  /** Settles each record whose time has come; the failure of one keeps no other from it. Never rejects. */
  async #settleAll(): Promise<void> {
    this.#cancelTimer()
    // The delays as they are found: one that ends meanwhile must not be forgotten.
    const waits: number[] = []
    for (const record of this.records.own) {
      if (this.#progress.isGivenUp(record.partition)) continue
      const wait = this.#progress.delayOf(record)
      const left = wait > 0 ? wait : await this.#settle(record)
      if (left > 0) waits.push(left)
    }
    this.#watch()
    const next = Math.min(...waits, this.#progress.pause ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(next)) this.#planIn(next)
  }

  /** Settles one record, and notes the failure. Returns the milliseconds to wait before. Never rejects. */
  async #settle(record: BypassRecord): Promise<number> {
    const acting = this.#acting
    if (acting === undefined) return 0
    const settling = new AbortController()
    this.#settling = settling
    try {
      return await this.#settleInTurns(record, acting, settling.signal)
    } catch (thrown) {
      // Another config node goes on, or the next process.
      if (!settling.signal.aborted) this.#noteFailure(record, asKeyholderError(thrown))
      return 0
    } finally {
      this.#settling = undefined
    }
  }

  /**
   * Settles one record, with a turn for each command, so that a disarm can go in between. Returns the milliseconds to
   * wait before, if a command has made a new record meanwhile; else 0.
   */
  async #settleInTurns(
    record: BypassRecord,
    { panel, queue }: SettlementUser,
    signal: AbortSignal,
  ): Promise<number> {
    const { partition } = record
    const [zone = 0] = record.zones
    const incoming = { command: { action: 'bypass', zone, enabled: false }, node: '', signal } as const
    const turns: Settled[] = []
    let wait = 0
    let isLeft = true
    while (isLeft) {
      isLeft = false
      await queue.run(incoming, async (turn) => {
        // Another process may have settled it meanwhile.
        await this.records.refresh()
        const current = this.records.own.find((one) => one.partition === partition)
        // A command that had its turn before may have made a new record.
        wait = current === undefined ? 0 : this.#progress.delayOf(current)
        if (current === undefined || wait > 0) return ended
        // From now on it is that of this process.
        if (this.records.leftBy(partition) !== undefined) await this.records.put({ ...current })
        const settled = await this.settleInTurn(partition, { panel, turn, signal }, { maxSteps: 1 })
        if (settled !== undefined) turns.push(settled)
        isLeft = settled?.isPartial === true
        return ended
      })
    }
    const last = turns.at(-1)
    // The first turn names all zones.
    const first = turns.find(({ what }) => what === last?.what)
    if (first !== undefined) this.#tell(record, first)
    return wait
  }

  #tell(record: BypassRecord, settled: Settled): void {
    this.#reports.tell(record, settled, this.#progress.takeUntold(record.partition))
  }

  #noteFailure(record: BypassRecord, error: KeyholderError): void {
    if (this.#progress.noteFailure(record.partition, error)) this.#reports.tellFailure(record, error)
  }
}

/** Returns the error for an arming that comes while the one before may still take effect. */
function stillUnderWay({ partition, state }: BypassRecord): KeyholderError {
  const earlier = describeCommand({ action: 'set_state', partition, state, options: [] })
  return new KeyholderError(
    'COMMAND_FAILED',
    `Less than a minute ago the panel got ${earlier}, and does not show yet what became of it. Send this command again in a minute.`,
  )
}

/** The outcome of a settlement for the queue; no flow sees it. */
const ended: Snapshot<CompletedCommand> = {
  view: { tookMs: 0, already: false },
  fetchedAt: 0,
  at: 0,
  sentAt: 0,
  validFor: 0,
}
