import assert from 'node:assert/strict'
import { contrasts } from '../../../harness/browser/contrast.ts'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Editor } from '../../../harness/browser/editor.ts'
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
const unheard = flows
  .map((node) => (['ntfy', 'siren'].includes(node.id) ? { ...node, d: true } : node))
  .map((node) => (node.id === 'incident' ? { ...node, wires: [['ntfy', 'siren', 'show']] } : node))
unheard.push({
  ...place,
  id: 'show',
  y: 240,
  type: 'debug',
  name: '',
  active: false,
  complete: 'payload',
  wires: [],
})
const texts = catalogue('en-US', 'panel')
const text = (key: string) => texts.get(`panel.rehearsal.${key}`) ?? assert.fail(key)
const reportText = (key: string) => texts.get(`panel.report.${key}`) ?? assert.fail(key)

/** Opens the part about rehearsals in the dialog of the panel. */
async function openRehearsal(editor: Editor) {
  await editor.hasStatus('incident', /no incident/)
  const dialog = await (await editor.open('incident')).edit('panel')
  await dialog.unfold()
  const part = dialog.form.locator('#keyholder-panel-rehearsal')
  const press = (name: string) => part.getByRole('button', { name: text(name), exact: true }).click()
  return { part, press }
}

/** Plays the first seconds of a fire, and returns the notification about it. */
async function playFire(editor: Editor) {
  const { part, press } = await openRehearsal(editor)
  await part.locator('select').selectOption('fire')
  await part.getByLabel(text('faster')).check()
  await press('start')
  await press('startNow')
  await part.getByText(/Fire: running for \d+ s\. Messages sent: [1-9]/).waitFor()
  await press('stop')
  await part.getByText(text('ended.stopped')).waitFor()
  return { part, notice: editor.page.locator('.red-ui-notification', { hasText: 'Rehearsal: Fire' }) }
}

inNewestNodeRed('The rehearsal in the dialog of a panel', { flows }, (editor) => {
  const open = () => openRehearsal(editor())

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
    const { part, notice } = await playFire(editor())
    const [page] = await Promise.all([
      editor().page.context().waitForEvent('page'),
      notice.getByRole('button', { name: text('report') }).click(),
    ])
    await page.getByRole('heading', { name: texts.get('panel.report.ways') ?? '' }).waitFor()
    await page.getByText(reportText('faster')).waitFor()
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

  it('shows the scene of the latest report when it is opened again', async () => {
    const { part } = await open()
    await part.getByText(text('ended.stopped')).waitFor()
    assert.equal(await part.locator('select').inputValue(), 'fire')
  })

  for (const locale of ['en-US', 'de'] as const)
    it(`has room for the name of each scene: ${locale}`, async () => {
      const { part } = await open()
      const names = [...catalogue(locale, 'panel')].flatMap(([key, name]) =>
        key.startsWith('panel.rehearsal.scene.') ? [name] : [],
      )
      const widths = await part.locator('select').evaluate((select, names) => {
        const free = select.cloneNode() as HTMLElement
        free.replaceChildren(...names.map((name) => new Option(name)))
        Object.assign(free.style, { width: 'auto', position: 'absolute' })
        select.after(free)
        const widths = [free, select].map((one) => one.getBoundingClientRect().width)
        free.remove()
        return widths
      }, names)
      const [needed, given] = widths as [number, number]
      assert.ok(names.length > 5 && needed <= given, `${needed} of ${given} pixels`)
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

inNewestNodeRed('A rehearsal of which nobody is told', { flows: unheard }, (editor) => {
  it('ends with an error, which goes when the report is opened, and the report finds nothing good', async () => {
    const { part, notice } = await playFire(editor())
    await notice.filter({ hasText: reportText('outcome.untold') }).waitFor()
    assert.match((await notice.getAttribute('class')) ?? '', /red-ui-notification-error/)
    await part.getByText(reportText('outcome.untold')).waitFor()
    const [page] = await Promise.all([
      editor().page.context().waitForEvent('page'),
      part.getByRole('link', { name: text('report') }).click(),
    ])
    await page.locator('.bad', { hasText: reportText('outcome.untold') }).waitFor()
    assert.equal(await page.locator('.good').count(), 0)
    await page.close()
    await notice.waitFor({ state: 'detached' })
  })
})

inNewestNodeRed('A rehearsal without a fault', { flows }, (editor) => {
  it('ends with a notification that goes by itself', async () => {
    const { page } = editor()
    // Its whole scene would last half a minute.
    await page.route('**/rehearsal', async (route) => {
      const response = await route.fetch()
      const found = await response.json()
      if (found.report) Object.assign(found.report, { outcome: 'good', findings: [] })
      if (found.ended) found.ended = 'scene'
      await route.fulfill({ response, json: found })
    })
    try {
      const { part, press } = await openRehearsal(editor())
      await press('start')
      await press('startNow')
      await part.getByText(/running for/).waitFor()
      await press('stop')
      const notice = page.locator('.red-ui-notification-success', { hasText: reportText('outcome.good') })
      await notice.waitFor()
      assert.ok(await notice.evaluate((element) => !('fixed' in element && element.fixed)))
      await notice.getByRole('button', { name: text('close') }).click()
    } finally {
      await page.unroute('**/rehearsal')
    }
  })
})
