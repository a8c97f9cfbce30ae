import type { Node, NodeAPI } from 'node-red'
import type { Clock } from '../../src/clock.ts'
import { type FlowFinding, findFaults } from './flow-findings.ts'
import { FlowGraph, type NodeName } from './flow-graph.ts'
import { FlowTrace } from './flow-trace.ts'
import type { Visit } from './trace-records.ts'
import { type WayOut, waysOut } from './ways-out.ts'

/** A node on a tab that the scene has touched. */
export interface ReportedNode extends NodeName {
  /**
   * `done`: it finished all that it got; `passed`: it got messages and never says when it is done; `waiting`: it keeps
   * messages on purpose; `open`: it has not finished; `failed`: an error; `missed`: it got nothing; `disabled`.
   */
  state: 'done' | 'passed' | 'waiting' | 'open' | 'failed' | 'missed' | 'disabled'
  /** The number of messages that it got. */
  received: number
  /** Seconds from the begin until the first of them; null if there was none. */
  first: number | null
}

/**
 * The outcomes of a report: `untold`, no message came to a node that tells or wakes somebody; `failed`, each that came to one
 * failed; `faults`, somebody was told, and there are faults; `good`.
 */
export const reportOutcomes = ['untold', 'failed', 'faults', 'good'] as const

/** The report of a rehearsal: plain data, without the contents of messages but the texts at the ways out. */
export interface FlowReport {
  outcome: (typeof reportOutcomes)[number]
  /** Seconds that it lasted. */
  seconds: number
  /** The outcome of the alarm at each node that tells or wakes somebody, those that were told first. */
  ways: WayOut[]
  /** The faults, the most serious first; empty if there is none. */
  findings: FlowFinding[]
  /**
   * The nodes of the tabs that the scene has touched: those that got something, in that order, then the others that tell or
   * wake somebody, or lead to such a node.
   */
  nodes: ReportedNode[]
  /** The Catch nodes that got an error, each with the node of the error; `at` in seconds. */
  caught: { catch: NodeName; source: NodeName; at: number }[]
}

/** A report in the making; `finish` ends it. */
export interface StartedReport {
  /** Notes that the scene begins: what came before was the state of the copy. */
  beginScene(): void
  /** Notes that what the scene is about was done, such as a window opened. */
  noteDeed(): void
  /** Stops looking, and returns the report. */
  finish(): FlowReport
}

/** The subject of a report. */
interface ReportSubject {
  /** The config node of the panel. */
  panelNode: Pick<Node, 'id'>
  /** The running flow nodes of the panel. */
  nodes: readonly Node[]
  clock: Clock
}

/**
 * Begins to watch what messages with `rehearsal: true` do in the flows. Before the call and after `finish`, nothing of it is
 * in Node-RED.
 */
export function startFlowReport(RED: NodeAPI, { panelNode, nodes, clock }: ReportSubject): StartedReport {
  const graph = new FlowGraph(RED)
  const planned = new Set(nodes.flatMap(({ id }) => [...graph.downstream(id)]))
  const trace = new FlowTrace(RED, nodes, clock, (id) => graph.isNotification(id))
  trace.start()

  return {
    beginScene() {
      trace.sceneAt = trace.now
    },
    noteDeed() {
      trace.deedAt = trace.now
    },
    finish() {
      trace.stop()
      const isOwn = new Set(nodes.map(({ id }) => id))
      const failed = new Set(trace.errors.map(({ node }) => node))
      const visited = [...trace.visits.keys()]
      const tabOf = (id: string) => graph.def(id)?.z
      const touched = new Set(visited.filter((id) => trace.visits.get(id)?.isOfScene).map(tabOf))
      const ids = [...visited, ...[...planned].filter((id) => !trace.visits.has(id))].filter(
        (id) => !isOwn.has(id) && graph.def(id) !== undefined && touched.has(tabOf(id)),
      )
      const leadsOut = (id: string) =>
        graph.mayAct(id) || [...graph.downstream(id)].some((one) => graph.mayAct(one))
      const listed = ids.filter((id) => trace.visits.has(id) || leadsOut(id))
      const ways = waysOut(trace, graph, ids)
      const findings = findFaults(trace, graph, nodes, panelNode.id)
      return {
        outcome: outcomeOf(ways, findings),
        seconds: seconds(trace.now),
        ways,
        findings,
        nodes: listed.map((id) => nodeOf(graph, id, trace.visits.get(id), failed.has(id))),
        caught: trace.catches.map(({ node, source, at }) => ({
          ...{ catch: graph.name(node), source: graph.name(source), at: seconds(at) },
        })),
      }
    },
  }
}

function outcomeOf(ways: readonly WayOut[], findings: readonly FlowFinding[]): FlowReport['outcome'] {
  if (ways.some(({ state }) => state === 'told')) return findings.length > 0 ? 'faults' : 'good'
  return ways.some(({ state }) => state === 'failed') ? 'failed' : 'untold'
}

function nodeOf(graph: FlowGraph, id: string, visit: Visit | undefined, hasFailed: boolean): ReportedNode {
  return {
    ...graph.name(id),
    state: stateOf(graph, id, visit, hasFailed),
    received: visit?.received ?? 0,
    first: visit === undefined ? null : seconds(visit.firstAt),
  }
}

function stateOf(
  graph: FlowGraph,
  id: string,
  visit: Visit | undefined,
  hasFailed: boolean,
): ReportedNode['state'] {
  if (visit === undefined) return graph.disabledBy(id) === undefined ? 'missed' : 'disabled'
  if (hasFailed) return 'failed'
  if (!visit.saysDone) return 'passed'
  if (visit.open === 0) return 'done'
  return graph.isHolding(id) ? 'waiting' : 'open'
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10
}
