import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Values } from '../../../harness/browser/dialogs/dialog.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'

const service = { source: 'service', url: 'https://alarm.example.com', appId: 'a1' }
const signIn = { credentials: { email: 'me@example.com', password: 'word' } }

const flows = [
  { id: 'tab', type: 'tab', label: 'Own form' },
  accountNode('simulated', { name: 'Demo' }),
  accountNode('service', { name: 'Service', ...service, ...signIn }),
  accountNode('other', { name: 'Other' }),
  accountNode('broken', { name: 'Broken', ...service, ...signIn, url: 'http://alarm.example.com' }),
  panelNode('of demo', { name: 'Of demo', account: 'simulated' }),
  panelNode('of service', {
    name: 'Of service',
    account: 'service',
    serial: 'A1',
    credentials: { userCode: '1' },
  }),
  panelNode('bare', { name: 'Bare', account: 'service', credentials: { userCode: '1' } }),
  ...placed([
    { id: 'demo', type: 'keyholder-query', panel: 'of demo' },
    { id: 'service', type: 'keyholder-query', panel: 'of service' },
    // They keep the others in use.
    { id: 'bare', type: 'keyholder-query', panel: 'bare' },
    { id: 'broken', type: 'keyholder-query', account: 'broken' },
    { id: 'other', type: 'keyholder-query', account: 'other' },
    {
      id: 'catalogue',
      type: 'keyholder-query',
      panel: 'of demo',
      operation: 'event_profiles',
      locale: 'german',
    },
    { id: 'nothing', type: 'keyholder-query' },
    { id: 'bypass', type: 'keyholder-command', panel: 'of demo', action: 'bypass', zone: 'door' },
    { id: 'siren', type: 'keyholder-command', panel: 'of demo', action: 'siren_on', zone: 'door' },
    { id: 'health', account: 'simulated', panel: 'of demo' },
    { id: 'watch', type: 'keyholder-health', account: 'service', panel: 'of service' },
  ]),
]

/** A form, values that it is changed to, and other nodes that are wrong or right whatever it contains. */
const forms: readonly {
  form: string
  node: string
  config?: 'account' | 'panel'
  values?: Values
  wrong: readonly string[]
  right: readonly string[]
}[] = [
  { form: 'a demo account', node: 'a other', config: 'account', wrong: ['broken'], right: ['service'] },
  {
    form: 'an account of a service',
    node: 'a other',
    config: 'account',
    values: { source: 'service' },
    wrong: ['broken'],
    right: ['simulated', 'service'],
  },
  { form: 'a panel of the demo', node: 'a demo', config: 'panel', wrong: ['bare'], right: ['of service'] },
  {
    form: 'a panel of a service',
    node: 'a service',
    config: 'panel',
    wrong: ['bare'],
    right: ['of demo', 'of service'],
  },
  {
    form: 'a query',
    node: 'a other',
    values: { operation: 'panels' },
    wrong: ['a catalogue', 'a nothing'],
    right: ['a demo'],
  },
  { form: 'a siren command', node: 'a siren', wrong: ['a bypass'], right: [] },
  { form: 'a bypass command', node: 'a bypass', wrong: [], right: ['a siren'] },
  { form: 'a health node', node: 'a health', wrong: [], right: ['a watch'] },
]

inNewestNodeRed('While its form is open,', { flows }, (editor) => {
  /** Makes the editor validate a node; returns the result. */
  const isValid = (id: string) =>
    editor().page.evaluate(
      `(node => { RED.editor.validateNode(node); return node.valid })(RED.nodes.node(${JSON.stringify(id)}))`,
    )

  for (const { form, node, config, values = {}, wrong, right } of forms) {
    it(`${form} does not decide whether other nodes are valid`, async () => {
      const own = await editor().open(node)
      const dialog = config ? await own.edit(config) : own
      await dialog.fill(values)
      for (const id of wrong) assert.equal(await isValid(id), false, id)
      for (const id of right) assert.equal(await isValid(id), true, id)
    })
  }
})
