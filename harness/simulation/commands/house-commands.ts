import type { Clock } from '../../../src/clock.ts'
import { minute } from '../../../src/duration.ts'
import type { Panel } from '../../../src/simulator/world/panel.ts'
import type { FlowMessage } from '../../recorder.ts'
import type { Surroundings } from '../checks/check.ts'
import type { Deed } from '../life.ts'
import type { Machine } from '../machine.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import type { Simulation } from '../simulation.ts'
import { hasAlarm } from '../world/deeds.ts'
import { BypassesCheck } from './bypasses-check.ts'
import { CommandsCheck } from './commands-check.ts'
import { type GivenCommand, GivenCommands, type Outcome } from './given-commands.ts'
import { ServedCommands } from './served-commands.ts'
import { isArming } from './wanted-command.ts'

/** The name of the command node in the flow. */
export const commandNode = 'command'

/** Milliseconds within which each command has ended, if nothing happens any more. */
const maxOpen = 10 * minute

/** The person who commands through the product: the user whose code it has. */
const commander = 'Anna'

/** More commands than a life has. */
const mostCommands = 10_000

/** The instance whose nodes are commanded. */
interface Commanded {
  readonly machine: Machine
  /** From 1. */
  readonly number: number
  /** Notes what is true now. */
  look(): void
}

/** The commands of a house through the product: who gives them, what the service takes, and the checks of both. */
export class HouseCommands {
  readonly #given: GivenCommands
  readonly #served: ServedCommands
  readonly #check: CommandsCheck
  readonly #bypasses: BypassesCheck
  /** The numbers of messages that were looked at, by the list that has them. */
  readonly #heard = new WeakMap<readonly FlowMessage[], number>()

  readonly #clock: Clock
  readonly #panel: Panel
  readonly #report: Surroundings['report']

  constructor(of: Surroundings, simulation: Simulation, { machine, number, look }: Commanded) {
    this.#clock = simulation.scheduler.clock
    const { world } = of
    const { panel } = world
    this.#panel = panel
    this.#report = of.report
    const idOf = (zone: number) => panel.zone(zone).id
    const house = { serial: panel.serial, code: simulation.simulator.userCode, idOf }
    this.#given = new GivenCommands(house, (number - 1) * mostCommands)
    this.#served = new ServedCommands(simulation, (process) => machine.runs(process), {
      before: look,
      after: ({ request, failure }) => {
        if (failure === null && request.action === 'set_state')
          for (const { plan } of panel.findPartitions(request.partition))
            world.noteAction(commander, request.state as 'AWAY', plan.id, this.#clock.monotonic())
        look()
      },
    })
    this.#check = new CommandsCheck(of, this.#given, this.#served)
    this.#bypasses = new BypassesCheck(of, this.#given, this.#served)
  }

  /** True while the end of a command is not known that may still be told. */
  get isBusy(): boolean {
    return this.#given.open.length > 0
  }

  /** True while a command may change the panel several times between two looks. */
  get areRecent(): boolean {
    const latest = this.#given.all.at(-1)
    return latest !== undefined && (this.isBusy || this.#clock.monotonic() - latest.at < minute)
  }

  /** Returns true if one was given since a moment. */
  wereGiven(since: number): boolean {
    return this.#given.all.some(({ at }) => at >= since)
  }

  /** Gives a command to its node. */
  give(
    { from, command }: Extract<Deed, { what: 'command' }>,
    flow: SimulatedFlow,
    homeAssistantNode: string,
  ): void {
    const node = from === 'flow' || from === 'dashboard' ? commandNode : homeAssistantNode
    // Who arms after an alarm has disarmed before.
    const isAlarm =
      isArming(command) &&
      this.#panel.findPartitions(command.partition).some((one) => hasAlarm(this.#panel, one))
    if (flow.has(node) && !isAlarm) flow.input(node, this.#given.give(from, command, this.#clock.monotonic()))
  }

  /** Takes the ends of commands that the nodes have told since the last look. */
  look(flow: SimulatedFlow, now: number): void {
    const hear = (messages: readonly FlowMessage[], outcomeOf: (message: FlowMessage) => Outcome) => {
      const heard = this.#heard.get(messages) ?? 0
      this.#heard.set(messages, messages.length)
      for (const message of messages.slice(heard)) this.#hear(message, outcomeOf(message), now)
    }
    hear(flow.output(commandNode).all, ({ payload }) => ({ kind: 'done', payload }))
    hear(flow.caught.all, ({ error }) => ({
      kind: 'failed',
      code: String(error.code),
      sentence: String(error.message),
    }))
    // A command of Home Assistant has no message.
    hear(flow.completed.all, () => ({ kind: 'done' }))
    this.#given.note(now)
    for (const given of this.#given.open) if (now - given.at > maxOpen) this.#check.reportOpen(given)
  }

  /** Notes that the nodes were stopped, with all that was open. */
  stop(): void {
    this.#given.stop(this.#clock.monotonic())
  }

  /** Notes that some of the nodes may be stopped, and start again. */
  noteDeploy(): void {
    this.#given.noteDeploy()
  }

  /** Compares all that was sent with all that was given, at the end of a life. */
  end(): void {
    this.#check.end()
    this.#bypasses.end(this.#clock.monotonic())
  }

  #hear(message: FlowMessage, outcome: Outcome, now: number): void {
    const isCompletion = outcome.kind === 'done' && outcome.payload === undefined
    const given = this.#given.find(message)
    if (this.#given.isOfOthers(message))
      this.#report('command of others', `commands: the end of one that another instance got is told`)
    if (given === undefined && outcome.kind === 'failed') this.#bypasses.note(outcome.sentence)
    if (given === undefined || (isCompletion && !isOfHomeAssistant(given))) return
    this.#given.end(given, outcome, now)
    this.#check.hear(given, outcome, now)
    this.#bypasses.hear(given, outcome, now)
  }
}

function isOfHomeAssistant({ from }: GivenCommand): boolean {
  return from === 'home assistant' || from === 'stranger'
}
