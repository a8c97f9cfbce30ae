import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'

const service = { source: 'service', url: 'https://alarm.example.com' }
const automatic = { stateEvery: '', eventsEvery: '', devicesEvery: '' }
const panel = { serial: '1', allowCommands: true, ...automatic }
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
  panelNode('with polls', { ...panel, account: 'service', eventsEvery: 30 }),
  panelNode('with rehearsals', { ...panel, account: 'service', allowRehearsal: true }),
  ...placed([
    { id: 'command', panel: 'of demo' },
    { id: 'state', panel: 'of changed' },
    { id: 'query', panel: 'of service' },
    { id: 'events', panel: 'with polls' },
    { id: 'incident', panel: 'with rehearsals' },
  ]),
]

inNewestNodeRed('The permission for commands in the dialog of a panel', { flows }, (editor) => {
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

inNewestNodeRed('The name of a panel', { flows }, (editor) => {
  let dialog: Dialog
  let offers: Locator

  beforeEach(async () => {
    dialog = await (await editor().open('a command')).edit('panel')
    const list = new CheckOf(dialog, 'panel-choose', 'panel-choice')
    await list.start()
    await list.reaches('panels', 'done')
    offers = list.item('panels', 'done').getByRole('button')
  })

  const name = () => dialog.control('name').inputValue()

  it('becomes the alias of the selected panel, and follows another selection', async () => {
    await offers.first().click()
    assert.equal(await name(), 'Home')
    await offers.last().click()
    assert.equal(await name(), 'Summer house')
    const node = await dialog.save()
    assert.equal(await node?.control('panel').locator('option:checked').innerText(), 'Summer house')
  })

  it('stays if somebody typed it', async () => {
    await dialog.fill({ name: 'Villa' })
    await offers.first().click()
    assert.equal(await name(), 'Villa')
  })

  it('stays empty if somebody cleared it', async () => {
    await offers.first().click()
    await dialog.fill({ name: '' })
    await offers.last().click()
    assert.equal(await name(), '')
  })
})

inNewestNodeRed('The sections in the dialog of a panel', { flows }, (editor) => {
  const five = ['name', 'account', 'serial', 'userCode', 'allowCommands']

  /** Returns the names of the fields that are shown, and the sections that are open. */
  const shown = async ({ form }: Dialog) => {
    const ids = await form
      .locator('[id^=node-config-input-]:is(input, select):visible')
      .evaluateAll((all) => all.map(({ id }) => id.replace('node-config-input-', '')))
    const open = await form.locator('details[open]').evaluateAll((all) => all.map(({ id }) => id))
    return { fields: ids, open }
  }

  it('are closed: a new panel and a saved one show five fields', async () => {
    const node = await editor().open('a query')
    assert.deepEqual(await shown(await node.edit('panel')), { fields: five, open: [] })
    await editor().closeDialogs()
    const added = await (await editor().open('a query')).add('panel')
    await added.fill({ account: 'service' })
    assert.deepEqual(await shown(added), { fields: five, open: [] })
    const headings = await added.form.locator('summary').allInnerTexts()
    assert.deepEqual(headings, ['Poll intervals', 'Rehearsal', 'Files for a bug report'])
  })

  it('are open if they hold a value that somebody has changed', async () => {
    const polls = await (await editor().open('a events')).edit('panel')
    assert.deepEqual((await shown(polls)).open, ['keyholder-panel-polls'])
    await editor().closeDialogs()
    const rehearsals = await (await editor().open('a incident')).edit('panel')
    assert.deepEqual((await shown(rehearsals)).open, ['keyholder-panel-rehearsal'])
  })
})
