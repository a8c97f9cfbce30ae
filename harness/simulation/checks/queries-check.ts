import { second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import type { Source } from '../blind-times.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import type { NodeCheck, Surroundings } from './check.ts'

/** Milliseconds before a question since which its answer may be under way already, for somebody else. */
const underWay = 5 * second

/** The facts of an answer, by name. */
type Facts = [fact: string, value: unknown][]

/** The operations that a flow queries, with the source that shows the same, and the facts of an answer. */
const queried: Readonly<Record<string, { source: Source; factsOf(payload: FlowMessage): Facts }>> = {
  status: {
    source: 'state',
    factsOf: ({ partitions }) =>
      partitions.flatMap(
        ({ id, state, status, ready }: FlowMessage): Facts => [
          [`partition ${id} armed`, status === 'EXIT' ? 'ARMING' : state],
          [`partition ${id} ready`, ready],
        ],
      ),
  },
  devices: {
    source: 'devices',
    factsOf: (devices) =>
      devices.flatMap(
        ({ id, traits: { bypass } }: FlowMessage): Facts =>
          bypass ? [[`device ${id} bypassed`, bypass.enabled]] : [],
      ),
  },
}

/** The answer to a query is read for it: it tells what was true when it was asked, or since then. */
export class QueriesCheck implements NodeCheck {
  readonly #of: Surroundings

  constructor(of: Surroundings) {
    this.#of = of
  }

  /** Queries each operation once. */
  ask(flow: SimulatedFlow, node: string, askedAt: number): void {
    for (const operation of Object.keys(queried)) flow.input(node, { operation, askedAt })
  }

  hear({ operation, payload, askedAt, stale }: FlowMessage, now: number): void {
    const { blind, report, world } = this.#of
    const query = queried[operation]
    const from = askedAt - underWay
    if (query === undefined || stale || !blind.isCertain(query.source, from, now)) return
    for (const [fact, value] of query.factsOf(payload)) {
      const values = world.facts.values(fact, from, now)
      if (!values.includes(String(value)))
        report(`query ${fact}`, `query: ${fact} is answered as ${value}, and was ${values.join(' or ')}`)
    }
  }

  compare(): void {}
}
