import { hour, minute } from '../../src/duration.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { createPart, type FlowPart } from '../flow/flow-part.ts'

/** Requests that the flow of a replay may make in any minute. */
export const requestsPerMinute = 30

/** The nodes that are shown a trace, by name. */
export const traceNodes = {
  state: { type: 'keyholder-state', initial: true },
  readings: { type: 'keyholder-readings', initial: true },
  events: { type: 'keyholder-events' },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions' },
  home: { type: 'keyholder-home-assistant' },
  health: { type: 'keyholder-health' },
} as const

/** Returns a flow with the nodes, at the panel's own pace; with few polls where the trace is long, so that a day takes a moment. */
export function createTracePart(
  simulator: Simulator,
  api: 'user' | 'service',
  duration: number,
  account: object = {},
): FlowPart {
  const every = duration > 2 * hour ? (10 * minute) / 1000 : ''
  const part = createPart(simulator, {
    nodes: traceNodes,
    account: { api, requestsPerMinute, ...account },
    panel: { name: 'House', stateEvery: every, eventsEvery: every, devicesEvery: every },
    ...(api === 'service' && { credentials: { userCode: simulator.installerCode } }),
  })
  const nodes = part.nodes.map((node) =>
    node.type === 'keyholder-health' ? { ...node, account: part.account } : node,
  )
  return { ...part, nodes }
}
