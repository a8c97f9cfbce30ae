import type { FlowNode } from '../flow-with-sink.ts'
import { accountNode, panelNode } from './config-nodes.ts'
import type { Values } from './dialog.ts'

/** A dialog with something else in each of its fields than what was there. */
export interface FilledForm {
  /** The type, or the action of a command. */
  type: string
  values: Values
}

const credentials = { email: 'office@example.com', password: 'office' }
const secrets = { email: 'canary@example.com', password: 'canary-password-4Tz8', userCode: '0471152' }

const command = { action: 'siren_on', partition: -1, state: '', options: [], zone: '', enabled: true }

/** The flow in which these dialogs are: node `a <type>` has the one of that type, or leads to it. */
export const formFlows: readonly FlowNode[] = [
  { id: 'tab', type: 'tab', label: 'Dialogs' },
  accountNode('account', { name: 'Home' }),
  panelNode('house', { name: 'House' }),
  accountNode('office', { name: 'Office', source: 'service', url: 'https://office.example', credentials }),
  panelNode('store', { name: 'Store', account: 'office', serial: 'A1', credentials: { userCode: '1234' } }),
  accountNode('filled account', { name: 'To be filled in' }),
  panelNode('filled panel', { name: 'To be filled in' }),
  ...placed([
    { id: 'state', panel: 'house', partitions: [], emit: 'change', initial: true, vocabulary: 'native' },
    {
      id: 'readings',
      panel: 'house',
      devices: [],
      kinds: [],
      emit: 'poll',
      initial: true,
      temperatureDelta: 0,
      brightnessDelta: 0,
    },
    {
      id: 'events',
      panel: 'house',
      groups: [],
      typeIds: [],
      labels: [],
      partitions: [],
      first: 'skip',
      missed: 'deliver',
    },
    { id: 'query', panel: 'house', operation: 'panel_info', locale: '', maxAge: 0 },
    { id: 'command', panel: 'house', ...command },
    { id: 'bypass', type: 'keyholder-command', panel: 'house', ...command },
    { id: 'health', account: 'account', panel: 'house', every: 0 },
    // Through these one comes to the config nodes; and each other config node stays in use.
    { id: 'account', type: 'keyholder-health', account: 'filled account', panel: '', every: 0 },
    {
      id: 'panel',
      type: 'keyholder-query',
      panel: 'filled panel',
      operation: 'panel_info',
      locale: '',
      maxAge: 0,
    },
    {
      id: 'house user',
      type: 'keyholder-query',
      panel: 'house',
      operation: 'panel_info',
      locale: '',
      maxAge: 0,
    },
    {
      id: 'store user',
      type: 'keyholder-query',
      panel: 'store',
      operation: 'panel_info',
      locale: '',
      maxAge: 0,
    },
  ]),
]

/** Every dialog. A new type of node joins by one entry, and a line among the flows. */
export const filledForms: readonly FilledForm[] = [
  {
    type: 'state',
    values: {
      panel: 'store',
      'partitions-list': '1, 2',
      emit: 'poll',
      initial: false,
      vocabulary: 'homekit',
      name: 'Doors',
    },
  },
  {
    type: 'readings',
    values: {
      panel: 'store',
      'devices-list': '12, 14',
      'kinds-list': ['temperature', 'brightness', 'open'],
      emit: 'change',
      temperatureDelta: '0.5',
      brightnessDelta: '10',
      initial: false,
      name: 'Climate',
    },
  },
  {
    type: 'events',
    values: {
      panel: 'store',
      'groups-list': ['EP_ALARM', 'EP_OPEN_CLOSE', 'other'],
      'partitions-list': '1',
      'labels-list': 'BURGLARY, FIRE',
      'typeIds-list': '17, 18',
      first: 'deliver',
      missed: 'skip',
      name: 'Alarms',
    },
  },
  {
    type: 'query',
    values: { panel: 'store', operation: 'event_profiles', locale: 'de_DE', maxAge: '60', name: 'Catalogue' },
  },
  {
    type: 'command',
    values: {
      panel: 'store',
      action: 'set_state',
      partition: '2',
      state: 'HOME',
      'options-list': 'INSTANT, LATCHKEY',
      name: 'Good night',
    },
  },
  {
    type: 'bypass',
    values: { panel: 'store', action: 'bypass', zone: '7', enabled: false, name: 'Cat flap' },
  },
  { type: 'health', values: { account: 'office', panel: 'store', every: '300', name: 'Watch' } },
  {
    type: 'panel',
    values: {
      name: 'Villa',
      account: 'office',
      serial: 'A1B2C3',
      userCode: secrets.userCode,
      stateEvery: '20',
      eventsEvery: '40',
      devicesEvery: '120',
      allowCommands: true,
    },
  },
  {
    type: 'account',
    values: {
      name: 'Ours',
      source: 'service',
      url: 'https://alarm.example.com',
      email: secrets.email,
      password: secrets.password,
      timeZone: 'Europe/Berlin',
      requestsPerMinute: '12',
      timeout: '7.5',
      locale: 'de_DE',
      api: 'service',
      apiVersion: '11.0',
      deviceInfo: 'cellar',
      caFile: '/etc/ssl/own.pem',
    },
  },
]

/** Flow nodes in a row each, of the type that the id names unless another is given. */
function placed(nodes: readonly ({ id: string } & Record<string, unknown>)[]): FlowNode[] {
  return nodes.map(({ id, ...fields }, row) => {
    const place = { z: 'tab', x: 200, y: 40 + 40 * row, wires: [[]] }
    return { id: `a ${id}`, type: `keyholder-${id}`, ...place, name: '', ...fields }
  })
}
