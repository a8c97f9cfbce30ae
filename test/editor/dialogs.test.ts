import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../support/browser/config-nodes.ts'
import type { Dialog, Values } from '../support/browser/dialog.ts'
import type { Editor } from '../support/browser/editor.ts'
import { inEveryNodeRed } from '../support/browser/in-every-look.ts'
import type { FlowNode } from '../support/flow-with-sink.ts'

/** A dialog with something else in each of its fields than what was there. */
interface Filled {
  /** The type, or the action of a command. */
  type: string
  values: Values
}

const credentials = { email: 'office@example.com', password: 'office' }
const secrets = { email: 'canary@example.com', password: 'canary-password-4Tz8', userCode: '0471152' }

const command = { action: 'siren_on', partition: -1, state: '', options: [], zone: '', enabled: true }
const flows = [
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

/** A new type of node joins by one entry, and a line among the flows. */
const forms: readonly Filled[] = [
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

inEveryNodeRed('Every dialog', { flows }, (editor) => {
  it('keeps what is filled in, in each of its fields, over a deploy and a reload too', async () => {
    for (const form of forms) {
      await filledIn(editor(), form)
      const dialog = await opened(editor(), form)
      assert.deepEqual(await dialog.values(), form.values, form.type)
      await closed(dialog)
    }
    await editor().deploy()
    await editor().reload()
    for (const form of forms) {
      const dialog = await opened(editor(), form)
      assert.deepEqual(await dialog.values(), stored(form.values), form.type)
      await closed(dialog)
    }
  })
})

inEveryNodeRed('An account', { flows }, (editor) => {
  it('gets an app id once, and keeps it over a deploy and a reload', async () => {
    const appId = await savedAppId(editor())
    assert.match(appId, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    await editor().deploy()
    await editor().reload()
    assert.equal(await savedAppId(editor()), appId)
  })
})

async function savedAppId(editor: Editor): Promise<string> {
  const dialog = await opened(editor, { type: 'account', values: {} })
  const appId = await dialog.control('appId').inputValue()
  await (await dialog.save())?.save()
  return appId
}

/** Values as a dialog shows them later: secrets stay on the server. */
function stored(values: Values): Values {
  const masked = Object.keys(values).filter((name) => name === 'password' || name === 'userCode')
  return { ...values, ...Object.fromEntries(masked.map((name) => [name, '__PWRD__'])) }
}

async function filledIn(editor: Editor, form: Filled): Promise<void> {
  const dialog = await opened(editor, form)
  await dialog.fill(form.values)
  // Nothing is left out.
  assert.deepEqual(Object.keys(await dialog.values()).toSorted(), Object.keys(form.values).toSorted())
  const below = await dialog.save()
  await below?.save()
}

/** The dialog of a type, reached as a user does: that of a config node from the dialog of a node that uses it. */
async function opened(editor: Editor, { type }: Filled): Promise<Dialog> {
  const dialog = await editor.open(`a ${type}`)
  return type === 'account' || type === 'panel' ? dialog.edit(type) : dialog
}

async function closed(dialog: Dialog): Promise<void> {
  const below = await dialog.cancel()
  await below?.cancel()
}

/** Flow nodes in a row each, of the type that the id names unless another is given. */
function placed(nodes: readonly ({ id: string } & Record<string, unknown>)[]): FlowNode[] {
  return nodes.map(({ id, ...fields }, row) => {
    const place = { z: 'tab', x: 200, y: 40 + 40 * row, wires: [[]] }
    return { id: `a ${id}`, type: `keyholder-${id}`, ...place, name: '', ...fields }
  })
}
