import { createHmac } from 'node:crypto'
import { ageWithSleep, delay, every, type Moment, momentOf, onAbort } from '../../clock.ts'
import { minute, second } from '../../duration.ts'
import { type Command, isDisarm, notCarriedOut } from '../../panel/commands/command.ts'
import {
  type CommandQueue,
  type CommandTurn,
  type CompletedCommand,
  type IncomingCommand,
  maxDisarmWait,
  type OrphanListener,
} from '../../panel/commands/command-queue.ts'
import { maxFollowTime } from '../../panel/commands/command-result.ts'
import { isOpen, type OpenEffect } from '../../panel/commands/open-effects.ts'
import type { Snapshot } from '../../panel/snapshot.ts'
import { asKeyholderError, closedError, isClosed } from '../../service/error.ts'
import { wholePanel } from '../../service/responses/status.ts'
import * as lua from '../lua/command-queue.lua.ts'
import type { Argument } from '../redis/connection.ts'
import { away } from '../redis/redis-error.ts'
import { type PanelParts, pairsIn, type Script, scriptsOf } from '../redis/scripts.ts'
import { openJson, panelKey, sealJson } from '../redis/seal.ts'
import {
  busyError,
  leftElsewhere,
  type PackedOutcome,
  packOutcome,
  type SharedOutcome,
  unknownElsewhere,
  unpackOutcome,
} from './command-outcome.ts'
import { endOf, kindOf, type QueueAnswer, type QueuedCommand, SharedTurn } from './command-turn.ts'

const scripts = scriptsOf(lua)

/** Milliseconds between two looks at a command that is not sent yet, and afterwards. */
const lookInterval = second / 10
const lateLookInterval = second

/** Milliseconds until the next look though the one before is not answered: what a slow server said would else be too old. */
const maxLookGap = second / 2

/**
 * Milliseconds for which an answer of the server allows to send, however long the process was stopped: less than a disarm
 * waits for what may be about to be sent, even if the server's clock is set.
 */
const maxPermission = 4 * second

/** Milliseconds for which a disarm waits: its instance may look a little later. */
const disarmWait = maxDisarmWait - lookInterval

/** Milliseconds within which the same command to the same node of another instance is the same message. */
const joinTime = 2 * second

/** Milliseconds for which a command waits for its turn, for the outcome of another instance, and for a lost server to answer. */
const maxTurnWait = maxFollowTime
const maxOutcomeWait = 3 * minute
const maxAway = 10 * second

type Done = Snapshot<CompletedCommand>

/** The open effect of a command, as the server keeps it. */
type PackedEffect = Command & {
  /** Absent while the command is in progress. */
  ended?: {
    /** Milliseconds from the arrival of the command at the server. */
    tookMs: number
    /** What showed before the command. */
    before?: string | undefined
  }
}

/**
 * The commands to one panel from all instances.
 *
 * The server has their order, so each instance looks there for its turn. It also looks as long as a command is not
 * sent: a disarm through another instance cancels it. What the server said allows to send for a time that is shorter
 * than a disarm waits, so no arming can be late.
 */
export class SharedCommandQueue implements CommandQueue {
  readonly #parts: PanelParts
  readonly #key: Buffer
  readonly #turns = new Set<SharedTurn>()
  readonly #listeners = new Set<OrphanListener>()

  constructor(parts: PanelParts) {
    this.#parts = parts
    this.#key = panelKey(parts.serial, parts.panel, 'commands')
  }

  async run(incoming: IncomingCommand, work: (turn: CommandTurn) => Promise<Done>): Promise<Done> {
    const { command, signal } = incoming
    if (signal.aborted) throw closedError()
    const { membership, clock } = this.#parts
    const { session } = membership
    const answer = await this.#enter(incoming, session)
    const queued = { command, id: answer.id, session, enteredAt: clock.monotonic() }
    const isJoined = answer.result === 'joined'
    const outcome = isJoined ? await this.#followOther(queued, signal) : undefined
    if (outcome === undefined) return this.#runTurn(queued, signal, work, isJoined ? undefined : answer)
    if ('error' in outcome) throw outcome.error
    return outcome.done
  }

  onOrphan(listener: OrphanListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tells what became of the commands of instances that were killed, if nobody has told it. Never rejects. */
  async tellOrphans(): Promise<void> {
    const [listener] = this.#listeners
    if (listener === undefined) return
    const { session } = this.#parts.membership
    const [found] = await this.#parts.scripts.tryRun(scripts.takeOrphans, this.#keys, [session])
    for (const [state, text] of pairsIn((found ?? []) as readonly string[])) {
      const sealed = Buffer.from(text, 'base64')
      const command = openJson(this.#key, this.#placeOf('command', ''), sealed)
      if (command !== undefined) listener(command as Command, state === 'lost')
    }
  }

  async #enter({ command, node }: IncomingCommand, session: number): Promise<QueueAnswer> {
    const joinsLate = !isDisarm(command) && command.action !== 'siren_off'
    const isSetState = command.action === 'set_state'
    const isWhole = isSetState && command.partition === wholePanel
    const scope = isWhole ? '*' : this.#digest(isSetState ? command.partition : '')
    const key = node === '' ? '' : this.#digest(node, command)
    const sealed = sealJson(this.#key, this.#placeOf('command', ''), command).toString('base64')
    const what = [kindOf(command), scope, key, joinsLate ? 1 : 0, joinTime, sealed]
    try {
      return await this.#ask(scripts.enter, session, what)
    } catch (thrown) {
      throw notCarriedOut(command, thrown)
    }
  }

  async #runTurn(
    queued: QueuedCommand,
    signal: AbortSignal,
    work: (turn: CommandTurn) => Promise<Done>,
    answer: QueueAnswer | undefined,
  ): Promise<Done> {
    const { id, session } = queued
    const send = () => this.#ask(scripts.look, session, [id, 'send', this.#sealEffect(id, queued.command)])
    const turn = new SharedTurn(queued, send, (askedAt) => this.#isRecent(queued, askedAt))
    const stay = onAbort(signal, () => turn.cancel(closedError()))
    this.#turns.add(turn)
    const stopLooking = this.#keepLooking(turn)
    try {
      if (answer !== undefined) turn.note(answer)
      await turn.waitForStart()
      const done = await work(turn)
      this.#finish(turn, 'ended', { done })
      return done
    } catch (thrown) {
      this.#finish(turn, endOf(turn, thrown), { error: asKeyholderError(thrown) })
      throw thrown
    } finally {
      stay()
      stopLooking()
      this.#turns.delete(turn)
      for (const other of this.#turns) if (other.isWaiting) void this.#look(other)
    }
  }

  /** Looks at a turn at intervals. Returns a function that ends this. */
  #keepLooking(turn: SharedTurn): () => void {
    const { clock } = this.#parts
    const since = clock.monotonic()
    let askedAt = since
    let unanswered = 0
    return every(clock, lookInterval, () => {
      const now = clock.monotonic()
      if (turn.isWaiting && now - since >= maxTurnWait) turn.cancel(busyError(turn.queued.command))
      const gap = unanswered > 0 ? maxLookGap : lookInterval
      if (now - askedAt < (turn.wasSent ? lateLookInterval : gap)) return
      askedAt = now
      unanswered += 1
      void this.#look(turn).then(() => {
        unanswered -= 1
      })
    })
  }

  /** Never rejects. */
  async #look(turn: SharedTurn): Promise<void> {
    try {
      const { id, session } = turn.queued
      turn.note(await this.#ask(scripts.look, session, [id]))
    } catch (thrown) {
      // Whose turn it is finds out when it wants to send.
      if (turn.isWaiting) turn.cancel(notCarriedOut(turn.queued.command, thrown))
    }
  }

  #isRecent({ session }: QueuedCommand, askedAt: Moment): boolean {
    const { clock, membership } = this.#parts
    const isSameSession = membership.isValid && membership.session === session
    return isSameSession && ageWithSleep(askedAt, clock) < maxPermission
  }

  /** Notes how a command ended, for those who wait for it. Never throws. */
  #finish(turn: SharedTurn, how: ReturnType<typeof endOf>, outcome: SharedOutcome): void {
    const { queued, ended, staysOpen, sent } = turn
    const { id, session } = queued
    const packed = packOutcome(outcome, this.#parts.clock)
    const sealed = how === 'ended' ? sealJson(this.#key, this.#placeOf('outcome', id), packed) : ''
    const tookMs = this.#parts.clock.monotonic() - queued.enteredAt
    const { command, before } = sent ?? { ...queued, before: undefined }
    const effect = staysOpen ? this.#sealEffect(id, command, { tookMs, before }) : ''
    const end = [session, id, how, sealed, effect, ...ended]
    this.#parts.scripts.runUntilAnswered(scripts.finish, this.#keys, end)
  }

  /**
   * Waits for the outcome of the same command at another instance; undefined if that one has certainly not sent it, so
   * that it is left to this one.
   */
  async #followOther(queued: QueuedCommand, signal: AbortSignal): Promise<SharedOutcome | undefined> {
    const { scripts: calls, clock } = this.#parts
    const { command, id, session } = queued
    const since = clock.monotonic()
    let answeredAt = since
    for (;;) {
      const answer = await calls.runBinary(scripts.follow, this.#keys, [session, id]).catch(() => ['away'])
      const [result, sealed] = [`${answer[0]}`, answer[1]]
      const now = clock.monotonic()
      if (result !== 'away') answeredAt = now
      if (result === 'taken over') return undefined
      const packed = openJson(this.#key, this.#placeOf('outcome', id), sealed) as PackedOutcome | undefined
      if (packed !== undefined) return unpackOutcome(packed, clock)
      const isOpen = ['away', 'waiting', 'unknown'].includes(result)
      const isLate = now - since >= maxOutcomeWait || now - answeredAt >= maxAway
      if (!isOpen || isLate) return { error: unknownElsewhere(command) }
      await delay(clock, lookInterval, signal).catch((thrown) => {
        throw isClosed(thrown) ? leftElsewhere(command) : thrown
      })
    }
  }

  async #ask(which: Script, session: number, args: readonly Argument[]): Promise<QueueAnswer> {
    const { scripts: calls, clock } = this.#parts
    const askedAt = momentOf(clock)
    const all = [session, disarmWait, ...args]
    const [result, id, found] = await calls.runBinary(which, this.#keys, all)
    if (`${result}` === 'unknown') throw away('this instance has just lost its place in the cluster')
    const effects = new Map<string, OpenEffect>()
    const over: string[] = []
    for (const [number, sealed] of pairsIn((found ?? []) as readonly Buffer[])) {
      const packed = openJson(this.#key, this.#placeOf('effect', `${number}`), sealed)
      if (packed === undefined || `${number}` === `${id}`) continue
      const { ended, ...command } = packed as PackedEffect
      // The numbers are times of the server: that of this command is its arrival.
      const age = ended === undefined ? 0 : Number(`${id}`) - Number(`${number}`) - ended.tookMs
      const endedAt = ended === undefined ? undefined : clock.monotonic() - age
      if (isOpen(command, age)) effects.set(`${number}`, { command, endedAt, before: ended?.before })
      else over.push(`${number}`)
    }
    return { result: `${result}`, id: `${id}`, askedAt, effects, over }
  }

  #sealEffect(id: string, command: Command, ended?: PackedEffect['ended']): Buffer {
    return sealJson(this.#key, this.#placeOf('effect', id), { ...command, ...(ended && { ended }) })
  }

  get #keys(): string[] {
    const { panel } = this.#parts
    const parts = ['commands', 'queue', 'effects', 'outcomes']
    return ['members', ...parts.map((part) => `panel:${panel}:${part}`)]
  }

  #placeOf(what: string, id: string): string {
    return `${what} ${this.#parts.panel} ${id}`
  }

  #digest(...parts: readonly unknown[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url')
  }
}
