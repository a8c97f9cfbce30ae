import type { Simulator } from '../../src/simulator/simulator.ts'
import type { MessageServer } from './message-server.ts'
import { type FlowNode, withRecorder } from './recorded-flow.ts'

/** Options of `houseFlows`. */
export interface FlowOptions {
  password?: string
  /** Seconds between polls. */
  every?: number
  /** Seconds until the account gives up a request. */
  timeout?: number
  /** The language of the account; the default one if it is empty. */
  locale?: string
  /** Ids of several panel nodes, all for the same panel. */
  panels?: readonly string[]
  /** True to allow commands to the panels. */
  allowCommands?: boolean
}

/** Credentials by node id. */
export type Credentials = Record<string, Record<string, string>>

/** Id of the panel node, unless `FlowOptions.panels` names others. */
export const panelId = 'panel'

/**
 * Returns an account, a panel, and one tab with the given nodes and recorders of their messages.
 *
 * The account allows a hundred requests per second and panels are polled every 0.4 seconds, so that tests wait little.
 */
export function houseFlows(
  simulator: Simulator,
  messages: MessageServer,
  nodes: readonly FlowNode[],
  {
    password = simulator.password,
    every = 0.4,
    timeout = 10,
    locale = '',
    panels = [panelId],
    allowCommands = false,
  }: FlowOptions = {},
): { flows: FlowNode[]; credentials: Credentials } {
  const { url, email, userCode, serials } = simulator
  const [serial = ''] = serials
  const tab = { id: 'tab', type: 'tab', label: 'Test' }
  const account = {
    id: 'account',
    type: 'keyholder-account',
    source: 'service',
    url,
    requestsPerMinute: 6000,
    timeout,
    locale,
  }
  const intervals = { stateEvery: every, eventsEvery: every, devicesEvery: every }
  const fields = { name: 'House', account: 'account', serial, allowCommands, ...intervals }
  const configs = [account, ...panels.map((id) => ({ id, type: 'keyholder-panel', ...fields }))]
  const placed = nodes.map((node) => ({ panel: panelId, wires: [[]], ...node, z: tab.id }))
  const codes = Object.fromEntries(panels.map((id) => [id, { userCode }]))
  return {
    flows: withRecorder([tab, ...configs, ...placed], messages.url),
    credentials: { account: { email, password }, ...codes },
  }
}
