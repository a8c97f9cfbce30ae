import type { FlowMessage } from '../../recorder.ts'
import { type CommandedHouse, type CommandSource, messageOf, type WantedCommand } from './wanted-command.ts'

/** The end of a command as its node has told it. */
export type Outcome =
  /** `payload` is absent for Home Assistant, whose commands have no message. */
  { kind: 'done'; payload?: FlowMessage } | { kind: 'failed'; code: string; sentence: string }

/** A command that was given to a node. Moments are milliseconds of the monotonic clock. */
export interface GivenCommand {
  readonly number: number
  readonly from: CommandSource
  readonly command: WantedCommand
  readonly at: number
  /** All that was told of its end; it must be one. */
  readonly outcomes: Outcome[]
  /** The moment at which its end was heard, which came since the look before; undefined while it is open. */
  endedAt: number | undefined
  /** The look before that moment. */
  openUntil: number
  /** True if its node may have been stopped while it was open: then perhaps nobody is told its end. */
  isStopped: boolean
}

/** The property that tells the answers to commands apart; nodes pass properties on that are not theirs. */
const numberProperty = 'commandNumber'

/** The commands that people and programs have given to the nodes of a life, and what they were told. */
export class GivenCommands {
  readonly all: GivenCommand[] = []
  readonly #panel: CommandedHouse
  readonly #first: number

  /** @param first the number of the first command, which no other instance has */
  constructor(panel: CommandedHouse, first: number) {
    this.#panel = panel
    this.#first = first
  }

  /** The commands whose end nobody has heard yet. */
  get open(): GivenCommand[] {
    return this.all.filter(({ endedAt, isStopped }) => endedAt === undefined && !isStopped)
  }

  /** Notes a command, and returns the message with which it comes to its node. */
  give(from: CommandSource, command: WantedCommand, now: number): FlowMessage {
    const number = this.#first + this.all.length
    const given = {
      number,
      from,
      command,
      at: now,
      outcomes: [],
      endedAt: undefined,
      openUntil: now,
      isStopped: false,
    }
    this.all.push(given)
    return { ...messageOf(from, command, this.#panel), [numberProperty]: number }
  }

  /** Returns the command that a message of a node is about; undefined for any other message. */
  find(message: FlowMessage): GivenCommand | undefined {
    return this.all[message[numberProperty] - this.#first]
  }

  /** Returns true for a message that is about a command which was given to nodes of another instance. */
  isOfOthers(message: FlowMessage): boolean {
    return message[numberProperty] !== undefined && this.find(message) === undefined
  }

  /** Notes the end of a command as it was told. */
  end(given: GivenCommand, outcome: Outcome, now: number): void {
    given.outcomes.push(outcome)
    given.endedAt ??= now
  }

  /** Notes that commands without an end are open at a moment. */
  note(now: number): void {
    for (const given of this.open) given.openUntil = now
  }

  /** Notes that the nodes were stopped. */
  stop(now: number): void {
    for (const given of this.all)
      if (given.endedAt === undefined) Object.assign(given, { isStopped: true, endedAt: now })
  }

  /** Notes that nodes may be stopped. */
  noteDeploy(): void {
    for (const given of this.open) given.isStopped = true
  }
}
