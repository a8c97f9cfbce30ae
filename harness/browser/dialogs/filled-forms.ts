import { declarations } from '../../fixtures/declarations.ts'
import type { FlowNode } from '../../node-red/recorded-flow.ts'
import { placed } from '../placed-nodes.ts'
import { accountNode, clusterNode, panelNode } from './config-nodes.ts'
import { enteredValues } from './declared-values.ts'
import type { Values } from './dialog.ts'

/** A dialog with a new value in each of its fields. */
export interface FilledForm {
  /** The type, or the action of a command. */
  type: string
  values: Values
}

const credentials = { email: 'office@example.com', password: 'office' }
const secrets = { email: 'canary@example.com', password: 'canary-password-4Tz8', userCode: '0471152' }

/** The flow with these dialogs: node `a <type>` has the dialog of that type, or uses the config node that has it. */
export const formFlows: readonly FlowNode[] = [
  { id: 'tab', type: 'tab', label: 'Dialogs' },
  clusterNode('both', { name: 'Both' }),
  clusterNode('filled cluster', { name: 'To be filled in' }),
  accountNode('account', { name: 'Home' }),
  panelNode('house', { name: 'House' }),
  accountNode('office', {
    name: 'Office',
    source: 'service',
    url: 'https://office.example',
    cluster: 'both',
    credentials,
  }),
  panelNode('store', { name: 'Store', account: 'office', serial: 'A1', credentials: { userCode: '1234' } }),
  accountNode('filled account', { name: 'To be filled in' }),
  accountNode('clustered account', {
    name: 'Clustered',
    source: 'service',
    url: 'https://office.example',
    credentials,
    cluster: 'filled cluster',
  }),
  panelNode('filled panel', { name: 'To be filled in' }),
  ...placed([
    { id: 'state', panel: 'house' },
    { id: 'readings', panel: 'house', emit: 'poll' },
    { id: 'events', panel: 'house' },
    { id: 'incident', panel: 'house' },
    { id: 'conditions', panel: 'house' },
    { id: 'chain-test', panel: 'house' },
    { id: 'query', panel: 'house' },
    { id: 'command', panel: 'house', action: 'siren_on' },
    { id: 'bypass', type: 'keyholder-command', panel: 'house', action: 'siren_on' },
    { id: 'health', account: 'account', panel: 'house' },
    { id: 'home-assistant', panel: 'house' },
    // These lead to the config nodes, and keep the other config nodes in use.
    { id: 'account', type: 'keyholder-health', account: 'filled account' },
    { id: 'cluster', type: 'keyholder-health', account: 'clustered account' },
    { id: 'panel', type: 'keyholder-query', panel: 'filled panel' },
    { id: 'house user', type: 'keyholder-query', panel: 'house' },
    { id: 'store user', type: 'keyholder-query', panel: 'store' },
  ]),
]

/** Values without which a dialog hides some of its fields, or that it would refuse. */
const chosen: Readonly<Record<string, Values>> = {
  readings: { emit: 'change', 'kinds-list': ['temperature', 'brightness', 'open'] },
  conditions: {
    'conditions-list': [
      ...['offline', 'line', 'tamper', 'lost', 'trouble', 'battery', 'memory', 'open', 'bypassed'],
      ...['unguarded', 'inspection', 'backup'],
    ],
  },
  account: {
    ...{ source: 'service', url: 'https://alarm.example.com', apiVersion: '11.0', timeZone: 'Europe/Berlin' },
    ...{ email: secrets.email, password: secrets.password },
  },
  panel: { userCode: secrets.userCode },
  cluster: { address: '10.0.0.1:26379, 10.0.0.2:26379', password: secrets.password, clusterName: 'home.2' },
}

/** Every dialog. A new node type needs a line in the flows. */
export const filledForms: readonly FilledForm[] = [
  ...[...declarations.keys()]
    // Its action hides some of its fields.
    .filter((type) => type !== 'command')
    .map((type) => ({ type, values: { ...enteredValues(type), ...chosen[type] } })),
  {
    type: 'command',
    values: {
      panel: 'store',
      action: 'set_state',
      partition: 'global:partition',
      state: 'jsonata:payload ? "HOME" : "AWAY"',
      openZones: 'bypass',
      'options-list': 'INSTANT, LATCHKEY',
      name: 'Good night',
    },
  },
  {
    type: 'bypass',
    values: { panel: 'store', action: 'bypass', zone: 'msg:zone', enabled: false, name: 'Cat flap' },
  },
]
