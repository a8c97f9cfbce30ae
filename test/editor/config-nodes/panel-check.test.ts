import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { accountNode, at, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { parseTrace } from '../../../src/simulator/trace-replay.ts'

const simulators = new Simulators()
let simulator: Simulator

const setup = async () => {
  simulator = await simulators.start()
  const query = { type: 'keyholder-query', ...defaultsOf('keyholder-query') }
  return {
    flows: [
      { id: 'tab', type: 'tab', label: 'Check' },
      accountNode('account', { name: 'Ours', ...at(simulator) }),
      { id: 'query', z: 'tab', x: 200, y: 60, wires: [[]], ...query },
    ],
  }
}

inNewestNodeRed('The dialog of a new panel', setup, (editor) => {
  let dialog: Dialog
  let list: CheckOf
  let code: CheckOf
  let diagnostics: CheckOf

  beforeEach(async () => {
    dialog = await (await editor().open('query')).add('panel')
    list = new CheckOf(dialog, 'panel-choose', 'panel-choice')
    code = new CheckOf(dialog, 'panel-check', 'panel-findings')
    diagnostics = new CheckOf(dialog, 'panel-diagnostics', 'panel-progress')
    await dialog.fill({ account: 'account' })
    await dialog.unfold()
  })
  after(() => simulators.close())

  it('lists the panels of the account, each with serial number and alias', async () => {
    await list.start()
    await list.reaches('panels', 'done')
    for (const { serial, plan } of simulator.world.panels) {
      const offer = list.item('panels', 'done').getByRole('button', { name: serial })
      assert.match(await offer.innerText(), /Master user/)
      assert.ok((await offer.innerText()).includes(plan.alias))
    }
  })

  it('takes the serial number of the selected panel, and marks this panel', async () => {
    const [, serial = ''] = simulator.serials
    await list.start()
    await list.reaches('panels', 'done')
    await list.item('panels', 'done').getByRole('button', { name: serial }).click()
    assert.equal((await dialog.values()).serial, serial)
    const pressed = list.item('panels', 'done').locator('[aria-pressed="true"]')
    assert.ok((await pressed.innerText()).includes(serial))
  })

  it('reports that the user code is right', async () => {
    const { serials, userCode } = simulator
    await dialog.fill({ serial: serials[0] ?? '', userCode })
    await code.start()
    await code.reaches('userCode', 'done')
  })

  it('reports a wrong user code with one finding, and sends it once however often it is checked', async () => {
    const before = simulator.accounts.panelLogins
    await dialog.fill({ serial: simulator.serials[1] ?? '', userCode: '9999' })
    const text = catalogue('en-US', 'account').get('account.finding.userCodeRejected') ?? ''
    for (const _ of 'twice') {
      await code.start()
      await code.reaches('userCode', 'failed')
      await code.ended()
      const [failure, ...others] = await code.findings()
      assert.ok(failure?.text.includes(text), failure?.text)
      assert.deepEqual(others, [])
    }
    assert.equal(simulator.accounts.panelLogins, before + 1)
  })

  it('shows the diagnostics without names, codes and serial numbers, and saves exactly what it shows', async () => {
    const { serials, userCode } = simulator
    await dialog.fill({ serial: serials[0] ?? '', userCode })
    await diagnostics.start()
    await diagnostics.reaches('diagnostics', 'done')
    const shown = dialog.form.locator('#keyholder-panel-file pre')
    const text = (await shown.textContent()) ?? ''
    for (const secret of [...serials, userCode, 'Anna', 'Front door'])
      assert.ok(!text.includes(secret), secret)
    const save = catalogue('en-US', 'panel').get('panel.label.save') ?? ''
    const downloading = dialog.form.page().waitForEvent('download')
    await dialog.form.getByRole('button', { name: save, exact: true }).click()
    const download = await downloading
    assert.match(download.suggestedFilename(), /^keyholder-diagnostics-\d{4}-\d\d-\d\d\.json$/)
    assert.equal(await readFile(await download.path(), 'utf8'), text)
    assert.equal(JSON.parse(text).format, 'keyholder-diagnostics-1')
  })

  it('says why there are no diagnostics', async () => {
    await dialog.fill({ serial: 'ZZZ999', userCode: simulator.userCode })
    await diagnostics.start()
    await diagnostics.reaches('diagnostics', 'failed')
    assert.equal(await dialog.form.locator('#keyholder-panel-file pre').count(), 0)
  })

  it('needs a deployed panel to record a trace', async () => {
    const sentence = catalogue('en-US', 'panel').get('panel.trace.undeployed') ?? ''
    await dialog.form.locator('#keyholder-panel-trace-state', { hasText: sentence }).waitFor()
    assert.ok(await dialog.form.locator('#keyholder-panel-record').isHidden())
  })

  it('asks for an account first', async () => {
    await dialog.fill({ account: '_ADD_' })
    await list.start()
    const sentence = catalogue('en-US', 'panel').get('panel.tip.noAccount') ?? ''
    await dialog.form.locator('#keyholder-panel-choice', { hasText: sentence }).waitFor()
    assert.equal(await dialog.control('account').getAttribute('aria-invalid'), 'true')
  })
})

const recorded = async () => {
  simulator = await simulators.start()
  const { serials, userCode } = simulator
  return {
    flows: [
      { id: 'tab', type: 'tab', label: 'Trace' },
      accountNode('account', { name: 'Ours', ...at(simulator) }),
      panelNode('panel', { serial: serials[0], stateEvery: 10, credentials: { userCode } }),
      ...placed([{ id: 'state', panel: 'panel' }]),
    ],
  }
}

inNewestNodeRed('The dialog of a deployed panel', recorded, (editor) => {
  after(() => simulators.close())

  it('records a trace of the polls, shows it without private data, saves exactly what it shows, and discards it', async () => {
    const dialog = await (await editor().open('a state')).edit('panel')
    await dialog.unfold()
    const text = (key: string) => catalogue('en-US', 'panel').get(`panel.${key}`) ?? ''
    const button = (key: string) =>
      dialog.form.getByRole('button', { name: text(`label.${key}`), exact: true })
    const line = dialog.form.locator('#keyholder-panel-trace-state')
    await line.filter({ hasText: text('trace.none') }).waitFor()
    await button('record').click()
    await button('stopRecording').waitFor()
    // The line is read again while it records.
    await line.filter({ hasText: /[2-9] answers/ }).waitFor()
    await button('stopRecording').click()
    await line.filter({ hasText: /^Recorded from/ }).waitFor()
    await button('showTrace').click()
    const shown = dialog.form.locator('#keyholder-panel-trace-file pre')
    const file = (await shown.textContent()) ?? ''
    assert.ok(!file.includes(simulator.serials[0] ?? '-'))
    const page = dialog.form.page()
    const downloading = page.waitForEvent('download')
    await button('save').click()
    const download = await downloading
    assert.match(download.suggestedFilename(), /^keyholder-trace-\d{4}-\d\d-\d\d\.jsonl$/)
    assert.equal(await readFile(await download.path(), 'utf8'), file)
    assert.ok(parseTrace(file).answers.some(({ operation }) => operation === 'status'))
    await button('discardTrace').click()
    await line.filter({ hasText: text('trace.none') }).waitFor()
    assert.equal(await shown.count(), 0)
  })
})
