import assert from 'node:assert/strict'
import { accountNode, clusterNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import { flowNodeNames } from '../../../harness/fixtures/node-names.ts'

const credentials = { email: 'me@example.com', password: 'word' }
const service = { source: 'service', url: 'https://alarm.example.com', appId: 'a1', credentials }

/** The config nodes of the demo are as in the examples: no app ID, and no credentials stored. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Untouched' },
  accountNode('account'),
  panelNode('home'),
  clusterNode('cluster'),
  accountNode('service', { ...service, cluster: 'cluster' }),
  panelNode('house', { account: 'service', serial: 'A1', credentials: { userCode: '0123' } }),
  ...placed([
    { id: 'state', panel: 'home', partitions: [1, 2] },
    { id: 'readings', panel: 'home', devices: [12], kinds: ['temperature', 'open'] },
    { id: 'events', panel: 'home', groups: ['EP_ALARM', 'EP_TROUBLE'], typeIds: [17], labels: ['FIRE'] },
    { id: 'incident', panel: 'home', language: 'fr' },
    { id: 'conditions', panel: 'home', conditions: ['open', 'backup'], openAfter: '10', language: 'fr' },
    { id: 'chain-test', panel: 'home', testDays: '7', credentials: { watcherUrl: 'https://a.example.com' } },
    { id: 'query', panel: 'house', operation: 'event_profiles' },
    { id: 'command', panel: 'home', state: 'HOME', options: ['INSTANT'] },
    { id: 'bypass', type: 'keyholder-command', panel: 'home', action: 'bypass', zone: '7' },
    { id: 'health', account: 'account', panel: 'home' },
    {
      id: 'home-assistant',
      panel: 'home',
      entities: ['zones', 'siren'],
      code: 'remote',
      base: 'alarm/keyholder',
    },
  ]),
]

inNewestNodeRed('A dialog that is opened and saved without a change', { flows }, (editor) => {
  for (const type of [...flowNodeNames, 'bypass']) {
    it(`of ${type} leaves the flow as it is`, async () => {
      await (await editor().open(`a ${type}`)).save()
      assert.equal(await editor().isChanged(), false)
    })
  }

  for (const [of, node] of [
    ['the demo', 'state'],
    ['a service in a cluster', 'query'],
  ] as const) {
    it(`of a panel and an account of ${of} leaves the flow as it is`, async () => {
      const dialog = await editor().open(`a ${node}`)
      const panel = await dialog.edit('panel')
      const account = await panel.edit('account')
      if (node === 'query') {
        await account.unfold()
        const cluster = await account.edit('cluster')
        await cluster.save()
        assert.equal(await editor().isChanged(), false, 'cluster')
      }
      await account.save()
      assert.equal(await editor().isChanged(), false, 'account')
      await panel.save()
      assert.equal(await editor().isChanged(), false, 'panel')
      await dialog.save()
      assert.equal(await editor().isChanged(), false, 'node')
    })
  }
})
