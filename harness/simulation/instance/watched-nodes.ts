import { second } from '../../../src/duration.ts'
import { fixedIntervals, type Source } from '../blind-times.ts'
import { answerMinutes, ChainCheck, watcherMinutes } from '../checks/chain-check.ts'
import type { InstanceSurroundings, NodeCheck } from '../checks/check.ts'
import { ConditionsCheck } from '../checks/conditions-check.ts'
import { EventsCheck } from '../checks/events-check.ts'
import { HomeAssistantCheck } from '../checks/home-assistant-check.ts'
import { IncidentsCheck } from '../checks/incidents-check.ts'
import { QueriesCheck } from '../checks/queries-check.ts'
import { ReadingsCheck } from '../checks/readings-check.ts'
import { RehearsalCheck } from '../checks/rehearsal-check.ts'
import { StateCheck } from '../checks/state-check.ts'
import { StatusesCheck } from '../checks/statuses-check.ts'
import { commandNode } from '../commands/house-commands.ts'
import type { House } from '../life.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import { ForgottenAlarms } from '../world/forgotten-alarms.ts'
import type { Broker } from './broker.ts'

/** The name of the Home Assistant node in the flow. */
export const homeAssistantNode = 'home'

/** Returns the fields of a panel node for the intervals of a house: without a value for the panel's own pace. */
export function fieldsOfIntervals({ hasFixedIntervals }: House) {
  const fieldOf = (source: Source) => (hasFixedIntervals ? fixedIntervals[source] / second : '')
  return {
    stateEvery: fieldOf('state'),
    eventsEvery: fieldOf('events'),
    devicesEvery: fieldOf('devices'),
  }
}

/** The name of the query node in the flow. */
const queryNode = 'query'

/** The name of the chain test node in the flow. */
export const chainNode = 'chain'

/** Returns the fields of the flow nodes of a house, by name. */
export function nodesOf({ hasChainTest, hasHomeAssistant, hasNotes, openAfter, remindAfter }: House) {
  return {
    state: { type: 'keyholder-state' },
    readings: { type: 'keyholder-readings' },
    events: { type: 'keyholder-events' },
    ...(hasNotes && {
      incident: { type: 'keyholder-incident' },
      conditions: { type: 'keyholder-conditions', openAfter, remindAfter },
    }),
    [commandNode]: { type: 'keyholder-command' },
    [queryNode]: { type: 'keyholder-query' },
    ...(hasChainTest && {
      [chainNode]: { type: 'keyholder-chain-test', answerMinutes, watcherMinutes, outputs: 3 },
    }),
    ...(hasHomeAssistant && {
      [homeAssistantNode]: {
        type: 'keyholder-home-assistant',
        entities: ['alarm_panel', 'zones', 'readings', 'events', 'diagnostics', 'bypass', 'siren'],
        code: 'remote',
        openZones: 'bypass',
      },
    }),
  }
}

/** The nodes of a house, with a check of what each of them tells. */
export class WatchedNodes {
  readonly homeAssistant: HomeAssistantCheck
  readonly rehearsals: RehearsalCheck
  readonly chain: ChainCheck
  readonly #state: StateCheck
  readonly #events: EventsCheck
  readonly #incidents: IncidentsCheck
  readonly #conditions: ConditionsCheck
  readonly #queries: QueriesCheck
  readonly #statuses: StatusesCheck
  readonly #checks: ReadonlyMap<string, NodeCheck>
  readonly #record: InstanceSurroundings['record']
  readonly #forgotten: ForgottenAlarms
  /** The numbers of messages and statuses of each node that were looked at. */
  #heard = new Map<string, number>()

  constructor(of: InstanceSurroundings, broker: Broker) {
    this.#record = of.record
    this.rehearsals = new RehearsalCheck(of)
    this.chain = new ChainCheck(of)
    this.#forgotten = new ForgottenAlarms(of.house, of.world, of.blind)
    this.homeAssistant = new HomeAssistantCheck(of, broker)
    this.#state = new StateCheck(of)
    this.#events = new EventsCheck(of)
    this.#incidents = new IncidentsCheck(of)
    this.#conditions = new ConditionsCheck(of)
    this.#queries = new QueriesCheck(of)
    this.#statuses = new StatusesCheck(of)
    const checks: [string, NodeCheck][] = [
      ['state', this.#state],
      ['readings', new ReadingsCheck(of)],
      ['events', this.#events],
      ['incident', this.#incidents],
      ['conditions', this.#conditions],
      [queryNode, this.#queries],
      [homeAssistantNode, this.homeAssistant],
    ]
    const nodes = nodesOf(of.house)
    this.#checks = new Map(checks.filter(([name]) => Object.hasOwn(nodes, name)))
  }

  /** Notes that the nodes have read everything once. */
  begin(now: number): void {
    this.#events.begin(now)
    this.#incidents.begin(now)
    this.#conditions.begin()
  }

  /** Notes that the flow is another one, whose messages are all new. */
  restart(): void {
    this.#heard = new Map()
  }

  /** Notes that the nodes start anew, with what the answers tell. */
  start(now: number): void {
    this.#state.start(now)
    this.#statuses.start(now)
    this.#forgotten.start(now)
  }

  /** Notes that what the nodes have told from a moment on was not written, and is forgotten. */
  forget(from: number, now: number): void {
    this.#events.forget(from)
    this.forgetNotes(from, now)
  }

  /** Notes that the flow has handled what the nodes have told. */
  handle(): void {
    this.#events.handle()
  }

  /** Notes that Node-RED was killed while the flow still worked on what the nodes have told at this moment. */
  interrupt(now: number): void {
    this.#events.interrupt(now)
  }

  /** Notes that what the nodes have noted from a moment on is lost, and only the marks of the events are left. */
  forgetNotes(from: number, now: number): void {
    this.#incidents.forget(from)
    this.#conditions.forget(from, now)
  }

  /**
   * Notes that the nodes have lost their position, and what a list has until a moment is no news.
   * @param isCertain false if they may still have it
   */
  losePosition(until: number, now: number, isCertain: boolean): void {
    this.forget(Number.NEGATIVE_INFINITY, now)
    this.#events.losePosition(until, isCertain)
    this.#incidents.losePosition(until)
  }

  /** Asks each node that answers. */
  ask(flow: SimulatedFlow, now: number): void {
    this.#queries.ask(flow, queryNode, now)
    for (const node of this.#checks.keys())
      if (![homeAssistantNode, queryNode].includes(node)) flow.input(node, { isAnswer: true })
  }

  /** Takes what the nodes have told since the last look, and compares all that they tell with the world. */
  look(flow: SimulatedFlow, now: number): void {
    this.#forgotten.look(now)
    for (const message of this.#newItems(commandNode, flow.output(commandNode).all))
      this.rehearsals.hear(commandNode, message)
    for (const [node, check] of this.#checks) {
      for (const message of this.#newItems(node, flow.output(node).all)) {
        this.#record.note(now, node, message)
        this.rehearsals.hear(node, message)
        const { topic, payload, rehearsal } = message
        // What the broker keeps has no mark.
        if (rehearsal !== true || node === homeAssistantNode) check.hear(message, now)
        // The broker passes on what is below the topic to which the flow has subscribed; that of a rehearsal comes back in it, long before
        // this look.
        const isBelow = node === homeAssistantNode && topic.startsWith('keyholder/') && rehearsal !== true
        if (isBelow && flow.has(node)) flow.input(node, { topic, payload, retain: false })
      }
      if (!flow.has(node)) this.#statuses.forget(node)
      for (const status of this.#newItems(`status ${node}`, flow.status(node).all)) {
        this.#record.note(now, `status of ${node}`, status)
        this.rehearsals.show(node, status.text)
        this.#statuses.show(node, status)
      }
    }
    if (flow.has(chainNode)) this.#lookAtChain(flow, now)
    if (this.rehearsals.isInHomeAssistant) this.homeAssistant.rehearse(now)
    this.compare(now)
  }

  #lookAtChain(flow: SimulatedFlow, now: number): void {
    for (const message of this.#newItems(chainNode, flow.output(chainNode).all)) {
      this.#record.note(now, chainNode, message)
      this.chain.hear(message, now)
    }
    for (const message of this.#newItems('caught', flow.caught.all)) this.chain.hearError(message, now)
    this.chain.compare(now)
  }

  /** Compares all that the nodes tell with the world. */
  compare(now: number): void {
    for (const check of this.#checks.values()) check.compare(now)
    this.#statuses.compare(now)
    this.rehearsals.compare(now)
  }

  #newItems<T>(name: string, all: readonly T[]): readonly T[] {
    const heard = this.#heard.get(name) ?? 0
    this.#heard.set(name, all.length)
    return all.slice(heard)
  }
}
