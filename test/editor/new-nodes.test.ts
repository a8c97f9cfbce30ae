import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { placed } from '../../harness/browser/placed-nodes.ts'
import { flowNodeNames } from '../../harness/fixtures/node-names.ts'

const none = '_ADD_'
const tab = { id: 'tab', type: 'tab', label: 'New' }

const one = [tab, accountNode('account'), panelNode('panel'), ...placed([{ id: 'state' }])]
inNewestNodeRed('With one account and one panel', { flows: one }, (editor) => {
  const usersOf = (id: string): Promise<number> =>
    editor().page.evaluate(`RED.nodes.node(${JSON.stringify(id)}).users.length`)

  for (const type of flowNodeNames) {
    it(`a new node of ${type} has this panel`, async () => {
      const before = await usersOf('panel')
      const dialog = await editor().openNew(`keyholder-${type}`)
      assert.equal(await dialog.control('panel').inputValue(), 'panel')
      if (type === 'health') assert.equal(await dialog.control('account').inputValue(), 'account')
      await dialog.cancel()
      // Node-RED counts the users of a config node: it warns about one without.
      assert.equal(await usersOf('panel'), before + 1)
    })
  }

  it('a new panel has this account', async () => {
    const dialog = await (await editor().open('a state')).add('panel')
    assert.equal(await dialog.control('account').inputValue(), 'account')
  })

  it('an existing node without a panel stays without', async () => {
    const dialog = await editor().open('a state')
    assert.equal(await dialog.control('panel').inputValue(), none)
  })
})

const two = [
  ...[tab, accountNode('account'), accountNode('other'), panelNode('panel'), panelNode('barn')],
  ...placed([{ id: 'state' }]),
]
inNewestNodeRed('With two accounts and two panels', { flows: two }, (editor) => {
  it('a new node has none of them', async () => {
    for (const type of ['state', 'health']) {
      const dialog = await editor().openNew(`keyholder-${type}`)
      assert.equal(await dialog.control('panel').inputValue(), none, type)
      if (type === 'health') assert.equal(await dialog.control('account').inputValue(), none)
      await dialog.cancel()
    }
  })

  it('a new panel has none of them', async () => {
    const dialog = await (await editor().open('a state')).add('panel')
    assert.equal(await dialog.control('account').inputValue(), none)
  })
})

inNewestNodeRed('Without accounts and panels', { flows: [tab] }, (editor) => {
  it('a new node has none', async () => {
    const dialog = await editor().openNew('keyholder-health')
    assert.equal(await dialog.control('account').inputValue(), none)
    assert.equal(await dialog.control('panel').inputValue(), none)
  })
})
