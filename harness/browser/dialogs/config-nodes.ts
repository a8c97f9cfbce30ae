import type { Simulator } from '../../../src/simulator/simulator.ts'
import { defaultsOf } from '../../fixtures/node-fields.ts'
import type { FlowNode } from '../../node-red/recorded-flow.ts'

/**
 * Returns an account as the editor stores it, by default a demo account. It lacks `requestsPerDay`, like those of older versions.
 */
export function accountNode(id: string, fields: object = {}): FlowNode {
  const type = 'keyholder-account'
  const { requestsPerDay: _, ...defaults } = defaultsOf(type)
  return { id, type, ...defaults, source: 'demo', requestsPerMinute: 6000, ...fields }
}

/** Returns a cluster as the editor stores it, with every field. */
export function clusterNode(id: string, fields: object = {}): FlowNode {
  const type = 'keyholder-cluster'
  return { id, type, ...defaultsOf(type), address: 'redis://127.0.0.1:6379', ...fields }
}

/** Returns a panel as the editor stores it, with every field; by default of the account `account`, polled once an hour. */
export function panelNode(id: string, fields: object = {}): FlowNode {
  const type = 'keyholder-panel'
  const intervals = { stateEvery: 3600, eventsEvery: 3600, devicesEvery: 3600 }
  return { id, type, ...defaultsOf(type), account: 'account', ...intervals, ...fields }
}

/** Returns the fields that connect an account to a simulator. */
export function at({ url, email, password }: Simulator): object {
  return { source: 'service', url, credentials: { email, password } }
}
