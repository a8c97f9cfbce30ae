import type { FlowNode } from '../node-red/recorded-flow.ts'
import type { FlowMessage } from '../recorder.ts'

/** Returns a function node. */
export function functionNode(id: string, func: string, wires: string[][], z = 'house'): FlowNode {
  return { id, type: 'function', z, name: id, func, outputs: wires.length, initialize: '', libs: [], wires }
}

/** Returns a switch node with one rule; without a value the property must be set. */
export function switchNode(id: string, property: string, value: string | null, wires: string[][]): FlowNode {
  const rules = [value === null ? { t: 'nnull' } : { t: 'eq', v: value, vt: 'str' }]
  const fields = { property, propertyType: 'msg', rules, checkall: 'true', outputs: 1, wires }
  return { id, type: 'switch', z: 'house', name: id, ...fields }
}

/** Returns a Catch node for a whole tab, or for the nodes in its scope. */
export function catchNode(id: string, wires: string[][], scope: string[] | null = null): FlowNode {
  return { id, type: 'catch', z: 'house', name: id, scope, uncaught: false, wires }
}

/**
 * A flow without a fault: incidents go to a phone on another tab, alarms that are not late to a siren, the state to the
 * debug sidebar. `phone sender` and `siren` are nodes of other palettes.
 */
export const houseFlow: readonly FlowNode[] = [
  { id: 'house', type: 'tab', label: 'House' },
  { id: 'phones', type: 'tab', label: 'Phones' },
  { id: 'panel', type: 'keyholder-panel' },
  { id: 'incident', type: 'keyholder-incident', z: 'house', name: '', panel: 'panel', wires: [['text']] },
  functionNode('text', 'msg.payload = msg.payload.title\nmsg.silent = msg.late === true\nreturn msg', [
    ['to the phone'],
  ]),
  { id: 'to the phone', type: 'link out', z: 'house', mode: 'link', links: ['from the house'], wires: [] },
  { id: 'from the house', type: 'link in', z: 'phones', links: ['to the phone'], wires: [['phone']] },
  { id: 'phone', type: 'phone sender', z: 'phones', name: 'phone', wires: [] },
  {
    ...{ id: 'events', type: 'keyholder-events', z: 'house', name: '', panel: 'panel', wires: [['alarms']] },
    ...{ groups: [], typeIds: [], labels: [], partitions: [] },
  },
  switchNode('alarms', 'payload.group', 'EP_ALARM', [['not late']]),
  functionNode('not late', 'return msg.late ? null : msg', [['siren']]),
  { id: 'siren', type: 'siren', z: 'house', name: 'siren', wires: [[]] },
  { id: 'state', type: 'keyholder-state', z: 'house', name: '', panel: 'panel', wires: [['show']] },
  { id: 'show', type: 'debug', z: 'house', name: 'show', active: false, complete: 'payload', wires: [] },
  catchNode('errors', [['show']]),
]

/** Returns a flow in which nodes are replaced by those with their ids; others are added. */
export function changed(flow: readonly FlowNode[], ...nodes: readonly FlowNode[]): FlowNode[] {
  const ids = new Set(nodes.map(({ id }) => id))
  return [...flow.filter(({ id }) => !ids.has(id)), ...nodes]
}

/** Returns the node of the house flow with other fields. */
export function houseNode(id: string, fields: object): FlowNode {
  const [node] = houseFlow.filter((one) => one.id === id)
  return { ...(node as FlowNode), ...fields }
}

const panel = { serial: 'A1B2C3', alias: 'Home', online: true }

const message = (path: string, payload: unknown, fields: object = {}) => ({
  ...{ topic: `Home/${path}`, payload, panel, fetchedAt: '2026-11-20T12:00:00.000Z', stale: false },
  ...fields,
})

const incident = (news: string, fields: object = {}) => {
  const texts = { title: 'Burglary: Kitchen window', summary: '12:00 PM. Not over.' }
  const zones = [{ zone: 2, name: 'Kitchen window', kinds: ['burglary'] }]
  const payload = {
    id: '1',
    kind: 'burglary',
    news,
    ...texts,
    status: 'open',
    zones,
    timeline: [],
    duress: false,
  }
  return message('incident', payload, fields)
}

const event = (group: string, typeId: number, fields: object = {}) => {
  const names = {
    label: 'BURGLER',
    description: 'Burglar',
    actor: 'Kitchen window',
    zoneName: 'Kitchen window',
  }
  const payload = { typeId, group, ...names, contactId: null, zone: 2, time: '2026-11-20T12:00:00.000Z' }
  return message(`event/${group.slice(3).toLowerCase()}`, payload, fields)
}

const state = (value: string) =>
  message('partition/1', value, {
    state: { value, alarms: [], settable: [] },
    partition: { id: 1, name: 'House' },
  })

const door = { id: 1, number: 1, name: 'Door', location: '', subtype: 'CONTACT', type: 'ZONE', warnings: [] }

/** The messages that the nodes of a panel send about a burglary, after a burglary that was over before. */
export const burglary: readonly (readonly [type: string, message: FlowMessage])[] = [
  ['incident', incident('detail', { late: true })],
  ['events', event('EP_ALARM', 1, { late: true })],
  ['state', state('AWAY')],
  ['events', event('EP_OPEN_CLOSE', 85)],
  [
    'readings',
    message('device/Door/open', true, { reading: { kind: 'open', value: true, unit: null }, device: door }),
  ],
  ['state', state('ALARM')],
  ['incident', incident('alarm')],
  [
    'conditions',
    message('conditions', [{ kind: 'alarm', zone: 2, name: 'Kitchen window', text: 'Burglary' }]),
  ],
  ['events', event('EP_ALARM', 1)],
  ['incident', incident('zone')],
  ['state', state('DISARM')],
  ['events', event('EP_OPEN_CLOSE', 89)],
  ['incident', incident('over')],
]
