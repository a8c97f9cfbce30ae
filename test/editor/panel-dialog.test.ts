import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../harness/browser/config-nodes.ts'
import type { Dialog } from '../../harness/browser/dialog.ts'
import { inEveryNodeRed } from '../../harness/browser/in-every-look.ts'
import { placed } from '../../harness/browser/placed-nodes.ts'
import { catalogue } from '../../harness/fixtures/locales.ts'

const service = { source: 'service', url: 'https://alarm.example.com' }
const panel = { serial: '1', allowCommands: true }
const hint = catalogue('en-US', 'panel').get('panel.tip.cleared') ?? ''

const flows = [
  { id: 'tab', type: 'tab', label: 'Commands' },
  accountNode('demo', { name: 'Demo' }),
  accountNode('changed', { name: 'Changed' }),
  accountNode('service', { name: 'Service', ...service }),
  accountNode('other', { name: 'Other', ...service }),
  panelNode('of demo', { ...panel, account: 'demo' }),
  panelNode('of changed', { ...panel, account: 'changed' }),
  panelNode('of service', { ...panel, account: 'service' }),
  ...placed([
    { id: 'command', panel: 'of demo' },
    { id: 'state', panel: 'of changed' },
    { id: 'query', panel: 'of service' },
  ]),
]

inEveryNodeRed('The permission for commands in the dialog of a panel', { flows }, (editor) => {
  /** Opens the panel's dialog of a flow node. */
  const openPanel = async (node: string): Promise<Dialog> => (await editor().open(node)).edit('panel')

  it('is not shown for a demo panel, and turned off with a hint when another account is selected', async () => {
    const dialog = await openPanel('a command')
    const tick = dialog.control('allowCommands')
    await tick.waitFor({ state: 'hidden' })
    await dialog.fill({ account: 'service' })
    await dialog.form.getByText(hint).waitFor()
    assert.equal(await tick.isChecked(), false)
    await dialog.fill({ userCode: '1234' })
    await (await dialog.save())?.save()
    const again = await openPanel('a command')
    await again.control('allowCommands').waitFor()
    assert.equal(await again.control('allowCommands').isChecked(), false)
    await again.form.getByText(hint).waitFor({ state: 'hidden' })
  })

  it('is turned off too when the account itself is changed from the demo to a service', async () => {
    const dialog = await openPanel('a state')
    const account = await dialog.edit('account')
    await account.fill({ source: 'service', url: service.url, email: 'a@example.com', password: 'secret' })
    await account.save()
    await dialog.form.getByText(hint).waitFor()
    assert.equal(await dialog.control('allowCommands').isChecked(), false)
  })

  it('stays as it is when another service is selected', async () => {
    const dialog = await openPanel('a query')
    await dialog.control('allowCommands').waitFor()
    await dialog.fill({ account: 'other' })
    assert.equal(await dialog.control('allowCommands').isChecked(), true)
    await dialog.form.getByText(hint).waitFor({ state: 'hidden' })
  })
})
