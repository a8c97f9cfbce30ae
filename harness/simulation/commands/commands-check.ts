import { minute, second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import type { Surroundings } from '../checks/check.ts'
import type { GivenCommand, GivenCommands, Outcome } from './given-commands.ts'
import { bypassingArmings, isRequestOf, matchRequests } from './matching.ts'
import type { SentCommand, ServedCommands } from './served-commands.ts'
import { describe, isArming, isDisarm, type WantedCommand, type WantedState } from './wanted-command.ts'

/** Milliseconds within which a disarm has reached the service: it waits five seconds for the command before it. */
const maxDisarm = 20 * second

/**
 * A command is told as done only if the panel has done it, once; each has one end. No arming is sent after a disarm that came
 * later, and a disarm goes before all that waits. What is told of a command is true.
 */
export class CommandsCheck {
  readonly #of: Surroundings
  readonly #given: GivenCommands
  readonly #served: ServedCommands

  constructor(of: Surroundings, given: GivenCommands, served: ServedCommands) {
    this.#of = of
    this.#given = given
    this.#served = served
  }

  /** Compares the end of a command, as it was told, with the panel. */
  hear(given: GivenCommand, outcome: Outcome, now: number): void {
    if (given.outcomes.length > 1) this.#report('told twice', given, 'has two ends')
    if (outcome.kind === 'failed') return
    if (given.from === 'stranger')
      this.#report('wrong code', given, 'is told as done, and the code was wrong')
    const { payload } = outcome
    const tookMs = payload?.tookMs ?? now - given.at
    if (payload !== undefined) this.#checkFields(given, payload, now)
    const doneAt = given.at + tookMs
    const was = this.#wasSo(given, doneAt)
    // Home Assistant is not told which of the two is true.
    const isAlready = payload?.already ?? (payload === undefined && was.isSo)
    if (isAlready && !was.isSo) this.#report('already', given, `is told as already so, and was ${was.words}`)
    if (!isAlready && !this.#isDone(given, doneAt))
      this.#report('done', given, `is told as done, and was ${was.words}`)
  }

  /** Reports a command that has no end, long after all has happened. */
  reportOpen(given: GivenCommand): void {
    this.#report('open', given, 'has no end')
  }

  /** Compares all that was sent with all that was given. */
  end(): void {
    const { all: given } = this.#given
    const sent = this.#served.attempts.filter(({ isRefused }) => !isRefused)
    const matches = matchRequests(sent, given)
    for (const one of sent) {
      const isStep = one.request.action === 'bypass' && bypassingArmings(one, given).length > 0
      if (!matches.has(one) && !isStep)
        this.#of.report(
          `sent twice ${one.at}`,
          `commands: ${describe(one.request as WantedCommand)} was sent at ${one.at}, and no command asks for it that is open and was not sent before`,
        )
    }
    for (const [one, arming] of matches) if (isArming(arming.command)) this.#checkOrder(one, arming, matches)
    const requests = new Map([...matches].map(([one, other]) => [other, one]))
    for (const one of given) if (isDisarm(one.command)) this.#checkDisarm(one, requests.get(one), matches)
  }

  /** No arming is sent after a later disarm of the same partitions. */
  #checkOrder(
    sent: SentCommand,
    arming: GivenCommand,
    matches: ReadonlyMap<SentCommand, GivenCommand>,
  ): void {
    for (const [other, disarm] of matches) {
      const isLater = disarm.number > arming.number && isDisarm(disarm.command)
      if (
        isLater &&
        other.at < sent.at &&
        overlap(disarm.command as WantedState, arming.command as WantedState)
      )
        this.#report('armed after disarm', arming, 'was sent after a disarm that came later')
    }
  }

  /** A disarm is sent at once, whatever waits. */
  #checkDisarm(
    given: GivenCommand,
    sent: SentCommand | undefined,
    matches: ReadonlyMap<SentCommand, GivenCommand>,
  ): void {
    const { at, endedAt = Number.POSITIVE_INFINITY } = given
    const until = Math.min(endedAt, at + maxDisarm)
    // Nodes that do not run, or a flow that computes, send nothing; nor does an account whose limit is reached by commands.
    const isBlind = this.#of.blind.isBlind('commands', at, at + maxDisarm)
    const others = this.#given.all.filter((one) => one.at > at - minute && one.at < at + maxDisarm)
    const isCrowded =
      others.length > 2 &&
      this.#served.countRequests(at - minute, at + maxDisarm) >= this.#of.house.requestsPerMinute
    const isHindered = given.isStopped || isBlind || isCrowded
    if (isHindered || given.from === 'stranger') return
    if (sent === undefined) {
      const isSent = this.#served.attempts.some(
        ({ request, at: sentAt }) => isRequestOf(request, given.command) && sentAt >= at && sentAt <= until,
      )
      const wasOffline = this.#of.world.facts.was('online', 'false', at - maxDisarm, until)
      if (!isSent && !wasOffline) this.#report('disarm not sent', given, 'was not sent')
      return
    }
    if (sent.at - at > maxDisarm)
      this.#report('late disarm', given, `was sent ${(sent.at - at) / second} s late`)
    const before = new Set(
      [...matches].flatMap(([one, other]) =>
        one.at > at && one.at < sent.at && !isDisarm(other.command) ? [other] : [],
      ),
    )
    if (before.size > 1)
      this.#report('waiting disarm', given, `was sent after ${before.size} others that waited`)
  }

  #checkFields({ command, at, ...given }: GivenCommand, payload: FlowMessage, now: number): void {
    const { openZones: _, ...fields } = command as WantedState
    for (const [name, value] of Object.entries(fields))
      if (payload[name] !== value)
        this.#report(`field ${name}`, { command, at, ...given }, `is told with ${name} ${payload[name]}`)
    if (payload.tookMs < 0 || at + payload.tookMs > now)
      this.#report('tookMs', { command, at, ...given }, `is told with tookMs ${payload.tookMs}`)
  }

  /** Returns true if the panel was as commanded at some moment since the command came, and what it was in words. */
  #wasSo({ command, at }: GivenCommand, doneAt: number): { isSo: boolean; words: string } {
    const { facts, panel } = this.#of.world
    if (command.action !== 'set_state' && command.action !== 'bypass') return { isSo: false, words: 'not so' }
    const names =
      command.action === 'bypass'
        ? [`device ${panel.zone(command.zone).id} bypassed`]
        : panel.findPartitions(command.partition).map(({ plan }) => `partition ${plan.id} armed`)
    const wanted = command.action === 'bypass' ? [String(command.enabled)] : showing(command)
    const values = names.map((name) => facts.values(name, at, doneAt))
    // HOME and NIGHT differ in the entry delay alone.
    const isOtherHome =
      command.action === 'set_state' &&
      stateOf(command) === 'HOME' &&
      !panel
        .findPartitions(command.partition)
        .every(({ plan }) =>
          facts.was(`partition ${plan.id} entry delay`, command.state === 'NIGHT' ? 'off' : 'on', at, doneAt),
        )
    return {
      isSo: !isOtherHome && values.every((one) => one.some((value) => wanted.includes(value))),
      words: values.map((one) => one.join(' or ')).join(', '),
    }
  }

  /** Returns true if the panel has done a command since it came, for it or for a person. */
  #isDone(given: GivenCommand, doneAt: number): boolean {
    const { command, at } = given
    const { actions, panel } = this.#of.world
    const isIn = (moment: number | undefined) => moment !== undefined && moment >= at && moment <= doneAt
    if (command.action === 'set_state') {
      const ids = panel.findPartitions(command.partition).map(({ plan }) => plan.id)
      const hasActed = (id: number) =>
        actions.some((one) => one.partition === id && one.value === stateOf(command) && isIn(one.at)) ||
        (stateOf(command) === 'HOME' && this.#hasStayedHome(id, at, doneAt))
      // A command for several partitions may find some of them so.
      const wasSo = (id: number) =>
        this.#wasSo({ ...given, command: { ...command, partition: id } }, doneAt).isSo
      return ids.some(hasActed) && ids.every((id) => hasActed(id) || wasSo(id))
    }
    // People bypass zones, too.
    if (command.action === 'bypass') return this.#wasSo(given, doneAt).isSo
    return this.#served.all.some(
      ({ request, executedAt, failure }) =>
        failure === null && isIn(executedAt) && request.action === command.action,
    )
  }

  /**
   * Returns true if the panel itself has made an arming away one at home, because nobody has left in its exit delay. Its state and its
   * event are those of a command, so nobody can know that such a command was lost on its way.
   */
  #hasStayedHome(id: number, from: number, to: number): boolean {
    const { facts, actions } = this.#of.world
    const name = `partition ${id} armed`
    const latest = actions.findLast(({ partition, at }) => partition === id && at <= to)
    return (
      this.#of.house.panelOptions.exitMode === 'restart-or-home' &&
      latest?.value === 'AWAY' &&
      !facts.was(name, 'HOME', from, from) &&
      facts.was(name, 'HOME', from, to)
    )
  }

  #report(
    claim: string,
    { number, command, from, at }: Pick<GivenCommand, 'number' | 'command' | 'from' | 'at'>,
    sentence: string,
  ): void {
    this.#of.report(
      `command ${claim} ${number}`,
      `commands: ${describe(command)} (from ${from}, at ${at}) ${sentence}`,
    )
  }
}

function overlap(one: WantedState, other: WantedState): boolean {
  return one.partition === other.partition || one.partition === -1 || other.partition === -1
}

/** Returns the state that a panel without a night has for a command. */
function stateOf({ state }: WantedState): 'AWAY' | 'HOME' | 'DISARM' {
  return state === 'NIGHT' ? 'HOME' : state
}

/** Returns what a partition can be when it has a state: in the exit delay, it is on its way to it. */
function showing(command: WantedState): string[] {
  return [stateOf(command), ...(isArming(command) ? ['ARMING'] : [])]
}
