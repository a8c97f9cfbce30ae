import assert from 'node:assert/strict'
import { accountNode, clusterNode, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { placed } from '../../harness/browser/placed-nodes.ts'

const service = { source: 'service', url: 'https://alarm.example.com' }
const credentials = { userCode: '0123' }

/** A node as version 0.1.0 has stored it. */
function ofBefore(plan: { id: string; type: string; panel: string }) {
  return placed([plan]).map(({ instances, ...fields }) => ({ ...fields, y: 400 }))
}

const flows = [
  { id: 'tab', type: 'tab', label: 'Instances' },
  clusterNode('both', { name: 'Both' }),
  accountNode('alone', service),
  accountNode('shared', { ...service, cluster: 'both' }),
  accountNode('demo', { cluster: 'both' }),
  panelNode('panel alone', { name: 'Alone', account: 'alone', serial: 'A1', credentials }),
  panelNode('panel shared', { name: 'Shared', account: 'shared', serial: 'A1', credentials }),
  panelNode('panel demo', { name: 'Demo', account: 'demo' }),
  ...placed([
    { id: 'state', panel: 'panel alone' },
    { id: 'readings', panel: 'panel alone' },
    { id: 'events', panel: 'panel alone' },
    { id: 'user', type: 'keyholder-query', panel: 'panel shared' },
    { id: 'demo user', type: 'keyholder-query', panel: 'panel demo' },
  ]),
  ...ofBefore({ id: 'before', type: 'keyholder-state', panel: 'panel alone' }),
]

inNewestNodeRed('The choice of the instances that send', { flows }, (editor) => {
  for (const type of ['state', 'readings', 'events']) {
    it(`of a ${type} node is there only if the account of the panel has a cluster, and is one of them at first`, async () => {
      const dialog = await editor().open(`a ${type}`)
      const choice = dialog.control('instances')
      await choice.waitFor({ state: 'hidden' })
      await dialog.fill({ panel: 'panel shared' })
      await choice.waitFor()
      assert.equal(await choice.inputValue(), 'one')
      await dialog.fill({ panel: 'panel demo' })
      await choice.waitFor({ state: 'hidden' })
      await dialog.fill({ panel: 'panel shared', instances: 'every' })
      await dialog.save()
      const again = await editor().open(`a ${type}`)
      assert.equal(await again.control('instances').inputValue(), 'every')
      await again.cancel()
    })
  }

  it('of a node of before there were clusters is one of them, once it is there', async () => {
    const dialog = await editor().open('a before')
    await dialog.control('instances').waitFor({ state: 'hidden' })
    await dialog.fill({ panel: 'panel shared' })
    assert.equal(await dialog.control('instances').inputValue(), 'one')
    await dialog.cancel()
  })
})
