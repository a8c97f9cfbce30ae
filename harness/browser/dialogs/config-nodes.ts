import type { Simulator } from '../../../src/simulator/simulator.ts'
import type { FlowNode } from '../../node-red/recorded-flow.ts'

/** Returns an account as the editor stores it, with every field; by default a demo account. */
export function accountNode(id: string, fields: object = {}): FlowNode {
  const connection = {
    source: 'demo',
    url: '',
    api: 'user',
    apiVersion: '',
    appId: '',
    deviceInfo: '',
    caFile: '',
    cluster: '',
  }
  const limits = { locale: 'en_US', timeZone: 'UTC', requestsPerMinute: 6000, timeout: 10 }
  return { id, type: 'keyholder-account', name: '', ...connection, ...limits, ...fields }
}

/** Returns a cluster as the editor stores it, with every field. */
export function clusterNode(id: string, fields: object = {}): FlowNode {
  const connection = { address: 'redis://127.0.0.1:6379', master: '', caFile: '' }
  return {
    id,
    type: 'keyholder-cluster',
    name: '',
    ...connection,
    clusterName: 'keyholder',
    instance: '',
    ...fields,
  }
}

/** Returns a panel as the editor stores it, with every field; by default of the account `account`, polled once an hour. */
export function panelNode(id: string, fields: object = {}): FlowNode {
  const intervals = { stateEvery: 3600, eventsEvery: 3600, devicesEvery: 3600 }
  return {
    id,
    type: 'keyholder-panel',
    name: '',
    account: 'account',
    serial: '',
    ...intervals,
    allowCommands: false,
    allowRehearsal: false,
    ...fields,
  }
}

/** Returns the fields that connect an account to a simulator. */
export function at({ url, email, password }: Simulator): object {
  return { source: 'service', url, credentials: { email, password } }
}
