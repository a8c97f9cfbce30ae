import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'

const place = { z: 'tab', x: 200, y: 60, wires: [[]] }
const flows = [
  { id: 'tab', type: 'tab', label: 'Rehearsal' },
  accountNode('account of the rehearsal', { name: 'Demo' }),
  panelNode('rehearsed panel', { account: 'account of the rehearsal' }),
  {
    ...{ id: 'incident', type: 'keyholder-incident', ...place },
    ...defaultsOf('keyholder-incident'),
    panel: 'rehearsed panel',
  },
]
const texts = catalogue('en-US', 'panel')
const text = (key: string) => texts.get(`panel.rehearsal.${key}`) ?? assert.fail(key)

inNewestNodeRed('The rehearsal in the dialog of a panel', { flows }, (editor) => {
  it('says before the start what is not blocked, plays a scene, lists what was sent, and can be stopped', async () => {
    await editor().hasStatus('incident', /no incident/)
    const dialog = await (await editor().open('incident')).edit('panel')
    const part = dialog.form.locator('#keyholder-panel-rehearsal')
    await part.getByText(texts.get('panel.tip.rehearsal') ?? '').waitFor()
    await part.locator('select').selectOption('fire')
    await part.getByLabel(text('faster')).check()
    await part.getByRole('button', { name: text('start'), exact: true }).click()
    await part.getByText('incident: Home/incident').first().waitFor()
    await part.getByRole('button', { name: text('stop'), exact: true }).click()
    await part.getByText(text('ended.stopped')).waitFor()
    await part.getByRole('button', { name: text('start'), exact: true }).waitFor()
  })
})
