import type { Simulator } from '../../../src/simulator/simulator.ts'
import type { FlowNode } from '../flow-with-sink.ts'

/** An account as the editor stores it, with every field; of the demo unless the fields say otherwise. */
export function accountNode(id: string, fields: object = {}): FlowNode {
  const connection = {
    source: 'demo',
    url: '',
    api: 'user',
    apiVersion: '',
    appId: '',
    deviceInfo: '',
    caFile: '',
  }
  const limits = { locale: 'en_US', timeZone: 'UTC', requestsPerMinute: 6000, timeout: 10 }
  return { id, type: 'keyholder-account', name: '', ...connection, ...limits, ...fields }
}

/** A panel as the editor stores it, with every field; of the account `account` and polled once in an hour. */
export function panelNode(id: string, fields: object = {}): FlowNode {
  const rhythm = { stateEvery: 3600, eventsEvery: 3600, devicesEvery: 3600 }
  return {
    id,
    type: 'keyholder-panel',
    name: '',
    account: 'account',
    serial: '',
    ...rhythm,
    allowCommands: false,
    ...fields,
  }
}

/** What makes an account one of a simulator. */
export function at({ url, email, password }: Simulator): object {
  return { source: 'service', url, credentials: { email, password } }
}
