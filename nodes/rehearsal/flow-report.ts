import type { Node, NodeAPI } from 'node-red'
import type { Clock } from '../../src/clock.ts'
import { type FlowFinding, findFaults } from './flow-findings.ts'
import { FlowGraph, type NodeName } from './flow-graph.ts'
import { FlowTrace, type Visit } from './flow-trace.ts'

/** A node that the rehearsal reached, or that the wires of a node of the panel lead to. */
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
  /** Seconds from the begin until it was done with one of them; null if it never said so. */
  done: number | null
  /** True if an alarm can end here: it notifies, switches, shows or stores. */
  isEnd: boolean
  /** True if it notifies or switches something. */
  isNotification: boolean
}

/** The report of a rehearsal: plain data, without the contents of messages. */
export interface FlowReport {
  /** Seconds that it lasted. */
  seconds: number
  /** The nodes in the order in which they were reached, then those that were not. */
  nodes: ReportedNode[]
  /** The Catch nodes that got an error, each with the node of the error; `at` in seconds. */
  caught: { catch: NodeName; source: NodeName; at: number }[]
  /** The faults, the most serious first; empty if there is none. */
  findings: FlowFinding[]
}

/** A report in the making; `finish` ends it. */
export interface StartedReport {
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
  const trace = new FlowTrace(RED, nodes, clock)
  trace.start()

  return {
    finish() {
      trace.stop()
      const isOwn = new Set(nodes.map(({ id }) => id))
      const failed = new Set(trace.errors.map(({ node }) => node))
      const ids = [...trace.visits.keys(), ...[...planned].filter((id) => !trace.visits.has(id))]
      return {
        seconds: seconds(trace.now),
        nodes: ids
          .filter((id) => !isOwn.has(id) && graph.def(id) !== undefined)
          .map((id) => nodeOf(graph, id, trace.visits.get(id), failed.has(id))),
        caught: trace.catches.map(({ node, source, at }) => ({
          ...{ catch: graph.name(node), source: graph.name(source), at: seconds(at) },
        })),
        findings: findFaults(trace, graph, nodes, panelNode.id),
      }
    },
  }
}

function nodeOf(graph: FlowGraph, id: string, visit: Visit | undefined, hasFailed: boolean): ReportedNode {
  return {
    ...graph.name(id),
    state: stateOf(graph, id, visit, hasFailed),
    received: visit?.received ?? 0,
    first: visit === undefined ? null : seconds(visit.firstAt),
    done: visit === undefined || visit.doneAt === null ? null : seconds(visit.doneAt),
    isEnd: graph.isEnd(id),
    isNotification: graph.isNotification(id),
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
