import type { FlowNode } from '../../node-red/recorded-flow.ts'
import { placed } from '../placed-nodes.ts'
import { accountNode, clusterNode, panelNode } from './config-nodes.ts'
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

/** Every dialog. A new node type needs an entry here and a line in the flows. */
export const filledForms: readonly FilledForm[] = [
  {
    type: 'state',
    values: {
      panel: 'store',
      'partitions-list': '1, 2',
      emit: 'poll',
      initial: false,
      vocabulary: 'homekit',
      instances: 'every',
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
      instances: 'every',
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
      instances: 'every',
      name: 'Alarms',
    },
  },
  {
    type: 'chain-test',
    values: {
      panel: 'store',
      testDays: '14',
      testHour: '9',
      answerMinutes: '5',
      watcherUrl: 'https://watcher.example.com/secret',
      watcherMinutes: '10',
      language: 'de',
      name: 'Chain',
    },
  },
  {
    type: 'conditions',
    values: {
      panel: 'store',
      'conditions-list': [
        ...['offline', 'line', 'tamper', 'lost', 'trouble', 'battery', 'memory', 'open', 'bypassed'],
        ...['unguarded', 'inspection', 'backup'],
      ],
      offlineAfter: '1',
      lineAfter: '2',
      tamperAfter: '2',
      lostAfter: '3',
      troubleAfter: '4',
      batteryAfter: '5',
      memoryAfter: '6',
      openAfter: '7',
      bypassedAfter: '8',
      inspectionDays: '100',
      backupDays: '200',
      remindAfter: '30',
      language: 'de',
      name: 'Watch',
    },
  },
  { type: 'incident', values: { panel: 'store', language: 'de', name: 'Story' } },
  {
    type: 'query',
    values: {
      panel: 'store',
      account: 'office',
      operation: 'flow:asked.operation',
      since: 'env:SINCE',
      locale: 'de_DE',
      maxAge: '60',
      name: 'Catalogue',
    },
  },
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
  { type: 'health', values: { account: 'office', panel: 'store', every: '300', name: 'Watch' } },
  {
    type: 'home-assistant',
    values: {
      panel: 'store',
      'entities-list': ['zones', 'bypass', 'siren'],
      code: 'remote',
      openZones: 'bypass',
      instantNight: true,
      form: 'single',
      base: 'alarm/keyholder',
      prefix: 'ha',
      name: 'Show',
    },
  },
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
      allowRehearsal: true,
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
      requestsPerDay: '9000',
      timeout: '7.5',
      locale: 'de_DE',
      api: 'service',
      apiVersion: '11.0',
      deviceInfo: 'cellar',
      caFile: '/etc/ssl/own.pem',
      cluster: 'both',
    },
  },
  {
    type: 'cluster',
    values: {
      name: 'Pair',
      address: '10.0.0.1:26379, 10.0.0.2:26379',
      master: 'alarm',
      username: 'node-red',
      password: secrets.password,
      caFile: '/etc/ssl/own.pem',
      clusterName: 'home.2',
      instance: 'cellar',
    },
  },
]
