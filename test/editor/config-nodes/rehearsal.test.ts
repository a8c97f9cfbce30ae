import assert from 'node:assert/strict'
import { contrasts } from '../../../harness/browser/contrast.ts'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { misfits } from '../../../harness/browser/narrow-page.ts'
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
    ...{ panel: 'rehearsed panel', wires: [['ntfy', 'siren']] },
  },
  {
    ...place,
    id: 'ntfy',
    y: 120,
    type: 'http request',
    name: 'ntfy',
    method: 'POST',
    ret: 'txt',
    url: 'http://127.0.0.1:1/',
  },
  { ...place, id: 'siren', y: 180, type: 'mqtt out', name: '', topic: 'siren/set', broker: '', wires: [] },
]
const tellers = ['incident', 'conditions', 'chain-test', 'events']
for (const [index, node] of [...tellers.slice(1), 'state'].entries())
  flows.push({
    ...{ id: node, type: `keyholder-${node}`, ...place, x: 500, y: 60 + 60 * index },
    ...defaultsOf(`keyholder-${node}`),
    panel: 'rehearsed panel',
  })
const texts = catalogue('en-US', 'panel')
const text = (key: string) => texts.get(`panel.rehearsal.${key}`) ?? assert.fail(key)

inNewestNodeRed('The rehearsal in the dialog of a panel', { flows }, (editor) => {
  const open = async () => {
    await editor().hasStatus('incident', /no incident/)
    const dialog = await (await editor().open('incident')).edit('panel')
    await dialog.unfold()
    const part = dialog.form.locator('#keyholder-panel-rehearsal')
    const press = (name: string) => part.getByRole('button', { name: text(name), exact: true }).click()
    return { part, press }
  }

  it('warns above the button, and says what will really act before it starts', async () => {
    const { part, press } = await open()
    const warning = part.getByText(texts.get('panel.tip.notBlocked') ?? '')
    const places = await Promise.all([warning, part.locator('select')].map((one) => one.boundingBox()))
    assert.ok((places[0]?.y ?? 0) < (places[1]?.y ?? 0))
    await press('start')
    await part.getByText(/These will really act: .*Your phone \(ntfy\)/).waitFor()
    await part.getByText(/These will really act: .*The siren \(mqtt out\)/).waitFor()
    await press('cancel')
    await part.getByText(text('none')).waitFor()
    assert.equal(await part.locator('.keyholder-question').isVisible(), false)
  })

  it('is one click away in the dialogs of the nodes that tell alarms, and in no other', async () => {
    const name = catalogue('en-US', 'account').get('account.label.rehearse') ?? assert.fail()
    for (const node of tellers) {
      const { form } = await editor().open(node)
      await form.getByRole('button', { name }).click()
      const scenes = editor().page.locator('#keyholder-panel-rehearsal select')
      await editor().page.waitForFunction(() => document.activeElement?.id === 'keyholder-panel-scene')
      const [top, room] = [(await scenes.boundingBox())?.y ?? 0, editor().page.viewportSize()?.height ?? 0]
      assert.ok(top > 0 && top < room, `${node}: ${top}`)
      await editor().closeDialogs()
    }
    const { form } = await editor().open('state')
    await form.getByRole('button', { name: "Open the demo panel's console" }).waitFor()
    assert.equal(await form.getByRole('button', { name }).count(), 0)
  })

  it('plays a scene, shows its progress, can be stopped, and links to the report', async () => {
    const { part, press } = await open()
    await part.locator('select').selectOption('fire')
    await part.getByLabel(text('faster')).check()
    await press('start')
    await press('startNow')
    await part.getByText(/Fire: running for \d+ s\. Messages sent: [1-9]/).waitFor()
    await press('stop')
    await part.getByText(text('ended.stopped')).waitFor()
    const notice = editor().page.locator('.red-ui-notification', { hasText: 'Rehearsal: Fire' })
    const [page] = await Promise.all([
      editor().page.context().waitForEvent('page'),
      notice.getByRole('button', { name: text('report') }).click(),
    ])
    await page.getByRole('heading', { name: texts.get('panel.report.ways') ?? '' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('details').evaluate((details) => details.setAttribute('open', ''))
    assert.deepEqual(await misfits(page), { brokenWords: [], cut: [] })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const all = await contrasts(page.locator('body'))
      assert.ok(all.length > 5)
      assert.deepEqual(
        all.filter(({ ratio }) => ratio < 4.5),
        [],
      )
    }
    await page.close()
    await part.getByText(text('report')).waitFor()
  })

  it('has a report that can be loaded again without the editor, or that says where it is', async () => {
    const { part } = await open()
    const link = part.getByRole('link', { name: text('report') })
    const context = editor().page.context()
    const address = (await link.getAttribute('href')) ?? assert.fail()
    const page = await context.newPage()
    const ofEditor = editor().page.url()
    await editor().page.goto('about:blank')
    await page.goto(address)
    await page.getByRole('heading', { name: texts.get('panel.report.ways') ?? '' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: texts.get('panel.report.ways') ?? '' }).waitFor()
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await page.getByText('Open the dialog of the panel').waitFor()
    await page.getByText('Öffnen Sie im Editor').waitFor()
    await page.close()
    await editor().page.goto(ofEditor)
    await editor().reload()
  })
})
