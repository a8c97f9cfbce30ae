import type { Answer } from '../../account/answer.ts'
import { delay } from '../../clock.ts'
import { hasCode, type KeyholderError } from '../../service/error.ts'
import { codesThatAre } from '../../service/error-codes.ts'
import { isInMemory } from '../../service/responses/alarms.ts'
import { type AnswerAge, type AnswerTimes, isKept } from '../snapshot.ts'
import { type Bypass, type Command, isDisarm, type SetState, type Siren } from './command.ts'
import type { CommandTurn } from './command-queue.ts'
import {
  type CommandedPanel,
  CurrentState,
  type PartitionSituation,
  type Situation,
  unknownSituation,
} from './current-state.ts'
import type { OpenEffect } from './open-effects.ts'
import {
  bypassModeRefusal,
  bypassRefusal,
  featureRefusal,
  onlineRefusal,
  partitionRefusal,
  sirenRefusal,
  stateRefusal,
  unreadyPartitions,
} from './preconditions.ts'
import { type Before, before, minApart, nothingKnownBefore, type Seen, shownOf } from './proof.ts'

/** The result of the checks of a command. */
export interface Checked {
  /** The times of the answer that shows that the panel is so already, so that nothing is sent. */
  seen?: AnswerTimes
  situation: Situation
  /** The partitions that are not ready to be armed as commanded. */
  unready: readonly PartitionSituation[]
  before: Before
}

/** The look at the panel before a command: whether it can be sent, and what showed before it. */
export class CommandCheck {
  readonly #command: Command
  readonly #panel: CommandedPanel
  readonly #turn: CommandTurn
  readonly #state: CurrentState
  /** The effects of earlier commands that no answer has shown. */
  #open: readonly OpenEffect[]

  constructor(command: Command, panel: CommandedPanel, turn: CommandTurn) {
    this.#command = command
    this.#panel = panel
    this.#turn = turn
    this.#state = new CurrentState(panel, turn.cancellation)
    this.#open = turn.openEffects
  }

  /**
   * Looks at the panel. Readiness is no reason to throw, because open zones may be bypassed.
   * @throws KeyholderError the reason why the command cannot be sent, or the failure of the look
   */
  async run(): Promise<Checked> {
    const command = this.#command
    const { panelClient } = this.#panel
    // A disarm waits for nothing that it can do without.
    if (!isDisarm(command)) await this.#state.readLimits()
    throwIfAny(featureRefusal(command, panelClient.limits))
    switch (command.action) {
      case 'set_state':
        return isDisarm(command) ? this.#checkDisarm(command) : this.#checkArming(command)
      case 'bypass':
        return this.#checkBypass(command)
      default:
        return this.#checkSiren(command)
    }
  }

  /** A disarm is always sent: it also ends alarms, silences sirens, and ends what no answer shows yet. */
  async #checkDisarm(command: SetState): Promise<Checked> {
    const answer = await this.#state.situation(this.#now).catch(unlessNeeded)
    if (answer === undefined) {
      const nothingSeen = { ...before(command, {}, this.#open, { sentAt: this.#now }), showed: true }
      return { situation: unknownSituation, unready: [], before: nothingSeen }
    }
    const { value: situation } = answer
    throwIfAny(onlineRefusal(situation))
    const seen = this.#note({ situation }, answer)
    throwIfAny(stateRefusal(command, situation, this.#open))
    // Only the list of alarms shows if somebody needs a disarm of what is disarmed.
    const alarms = seen.held ? await this.#state.alarms(this.#now).catch(unlessNeeded) : undefined
    return { situation, unready: [], before: { ...seen, isQuiet: alarms?.value.every(isInMemory) } }
  }

  async #checkArming(command: SetState): Promise<Checked> {
    const { limits } = this.#panel.panelClient
    const look = async () => {
      const answer = await this.#situation()
      return { ...answer, value: { situation: answer.value } }
    }
    const { answer, before } = await this.#lookTwiceIfHeld(look)
    const { situation } = answer.value
    if (before.held) return { seen: answer, situation, unready: [], before }
    const refusal = stateRefusal(command, situation, this.#open)
    // The panel may have left the state that a cache has kept.
    if (refusal?.code !== 'INVALID_TRANSITION' || !isKept(answer)) throwIfAny(refusal)
    throwIfAny(partitionRefusal(command.partition, limits))
    return { situation, unready: unreadyPartitions(command, situation), before }
  }

  async #checkBypass(command: Bypass): Promise<Checked> {
    const { limits } = this.#panel.panelClient
    const { value: situation } = await this.#situation()
    throwIfAny(bypassModeRefusal((await this.#state.info()).bypass_mode, command.enabled))
    const look = async () => {
      const answer = await this.#state.devices(this.#now)
      throwIfAny(bypassRefusal(command, answer.value, limits.otherThanZones))
      return { ...answer, value: { situation, devices: answer.value } }
    }
    const { answer, before } = await this.#lookTwiceIfHeld(look)
    return { ...(before.held && { seen: answer }), situation, unready: [], before }
  }

  async #checkSiren(command: Siren): Promise<Checked> {
    const { value: situation } = await this.#situation()
    throwIfAny(sirenRefusal(command, (await this.#state.info()).features))
    return { situation, unready: [], before: nothingKnownBefore }
  }

  /** Looks, and if what the command requests shows, again some seconds later: only two answers show that it is so already. */
  async #lookTwiceIfHeld<T extends Seen>(
    look: () => Promise<Answer<T>>,
  ): Promise<{ answer: Answer<T>; before: Before }> {
    const first = await look()
    const before = this.#note(first.value, first)
    if (!before.held) return { answer: first, before }
    await delay(this.#panel.account.clock, minApart, this.#turn.cancellation)
    const second = await look()
    return { answer: second, before: this.#note(second.value, second) }
  }

  /** Returns what is known from before the command, and notes which effects of earlier commands show. */
  #note(seen: Seen, answer: AnswerAge): Before {
    const shown = shownOf(this.#open, seen, answer)
    this.#turn.noteShown(shown)
    this.#open = this.#open.filter((effect) => !shown.includes(effect))
    return before(this.#command, seen, this.#open, answer)
  }

  /** @throws KeyholderError PANEL_OFFLINE */
  async #situation(): Promise<Answer<Situation>> {
    const answer = await this.#state.situation(this.#now)
    throwIfAny(onlineRefusal(answer.value))
    return answer
  }

  get #now(): number {
    return this.#panel.account.clock.monotonic()
  }
}

/** Errors of an answer without which a disarm is sent all the same: the service may accept it. */
const dispensable = codesThatAre('dispensable')

/** Returns undefined for the failure of an answer that a disarm can do without. @throws the others */
function unlessNeeded(thrown: unknown): undefined {
  if (!hasCode(thrown, ...dispensable)) throw thrown
}

function throwIfAny(error: KeyholderError | undefined): void {
  if (error !== undefined) throw error
}
