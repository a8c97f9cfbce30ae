import assert from 'node:assert/strict'
import { contrasts } from '../../harness/browser/contrast.ts'
import { accountNode, at, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import type { Editor } from '../../harness/browser/editor.ts'
import { inEveryLook, inEveryNodeRed } from '../../harness/browser/in-every-look.ts'
import { Picker } from '../../harness/browser/picker.ts'
import { Simulators } from '../../harness/browser/simulators.ts'
import { catalogue } from '../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../harness/fixtures/node-fields.ts'
import { status } from '../../src/simulator/faults/response-faults.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

const texts = catalogue('en-US', 'panel')
const german = { language: 'de-DE' }
const simulators = new Simulators()
let simulator: Simulator

/** Returns flows with a panel that only pickers read: nothing polls it. */
const setup = async (own: object = {}) => {
  simulator = await simulators.start()
  const { serials, userCode } = simulator
  const place = (type: string) => ({
    type,
    z: 'tab',
    x: 200,
    wires: [[]],
    ...defaultsOf(type),
    panel: 'panel',
  })
  return {
    ...own,
    flows: [
      { id: 'tab', type: 'tab', label: 'Pickers' },
      accountNode('account', at(simulator)),
      panelNode('panel', { name: 'House', serial: serials[0], credentials: { userCode } }),
      panelNode('barn', { name: 'Barn', serial: serials[1], credentials: { userCode } }),
      { id: 'state', y: 60, ...place('keyholder-state'), initial: false, partitions: [1, 77] },
      { id: 'readings', y: 120, ...place('keyholder-readings'), initial: false },
      { id: 'events', y: 180, ...place('keyholder-events') },
      { id: 'labels', y: 240, ...place('keyholder-events'), labels: ['BURGLER', 'NEW_LABEL'] },
    ],
  }
}

inEveryNodeRed('A picker', setup, (editor) => {
  afterEach(() => simulator.faults.clear())
  after(() => simulators.close())

  it('lists the partitions by name, ticks the selected ones, and writes ticks into the field', async () => {
    const { dialog, picker } = await opened(editor(), 'state', 'partitions')
    for (const { name } of simulator.world.panels[0]?.plan.partitions ?? []) await picker.leaf(name).waitFor()
    await picker.ticked('House', true)
    await picker.leaf('Workshop').click()
    await picker.ticked('Workshop', true)
    assert.equal((await dialog.values())['partitions-list'], '1, 77, 2')
    await picker.leaf('House').click()
    await picker.ticked('House', false)
    assert.equal((await dialog.values())['partitions-list'], '77, 2')
    await dialog.cancel()
  })

  it('keeps a selected partition that the panel does not have, and marks it as unavailable', async () => {
    const { dialog, picker } = await opened(editor(), 'state', 'partitions')
    await picker.leaf(`77.*${texts.get('panel.choices.unavailable')}`).waitFor()
    await dialog.save()
    const again = await editor().open('state')
    assert.equal((await again.values())['partitions-list'], '1, 77')
    await again.cancel()
  })

  it('ticks typed IDs', async () => {
    const { dialog, picker } = await opened(editor(), 'state', 'partitions')
    await dialog.fill({ 'partitions-list': '2, 5' })
    await picker.ticked('Workshop', true)
    await picker.ticked('House', false)
    await picker.ticked('^5', true)
    await dialog.cancel()
  })

  it('lists the devices by type, each with its subtype, and selects one by its ID', async () => {
    const { dialog, picker } = await opened(editor(), 'readings', 'devices')
    const device = simulator.world.panels[0]?.devices.find(({ name }) => name === 'Workshop door')
    const zones = texts.get('panel.deviceType.ZONE') ?? ''
    await picker.branch(zones).waitFor()
    await picker.leaf('Workshop door').click()
    assert.equal((await dialog.values())['devices-list'], String(device?.id))
    await dialog.cancel()
  })

  it('names a device without a name by its kind, with its label in messages beside it', async () => {
    const { dialog, picker } = await opened(editor(), 'readings', 'devices')
    const row = picker.leaf('CONTROL_PANEL 1')
    assert.match(await row.innerText(), /^\s*Control panel no\. 1\s*CONTROL_PANEL 1\s*$/)
    await dialog.cancel()
  })

  it('hides the labels and types of events below Advanced, unless one is selected', async () => {
    const dialog = await editor().open('events')
    assert.equal(await dialog.control('labels-list').isVisible(), false)
    await dialog.cancel()
    const other = await editor().open('labels')
    assert.ok(await other.control('labels-list').isVisible())
    await other.cancel()
  })

  it('lists the labels and types of events by name, and finds one by its text', async () => {
    const { dialog, picker } = await opened(editor(), 'events', 'labels')
    const battery = picker.leaf('Battery')
    assert.match(await battery.innerText(), /^\s*Battery\s*BATTERY\s*$/)
    assert.match((await battery.getAttribute('title')) ?? '', /Low Battery/)
    await battery.click()
    assert.equal((await dialog.values())['labels-list'], 'BATTERY')
    const types = await Picker.open(dialog, 'typeIds')
    await types.search('flood')
    await types.leaf('flood').first().click()
    assert.match(String((await dialog.values())['typeIds-list']), /^\d+$/)
    await dialog.cancel()
  })

  it('can be used by keyboard only', async () => {
    const { dialog, picker } = await opened(editor(), 'state', 'partitions')
    const { keyboard } = editor().page
    await picker.leaf('House').waitFor()
    await dialog.control('partitions-list').focus()
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.press('End')
    for (const _ of 'twice') await keyboard.press('ArrowDown')
    await keyboard.press('Space')
    const chosen = String((await dialog.values())['partitions-list'])
    assert.notEqual(chosen, '1, 77')
    assert.ok(await picker.tree.locator('[aria-checked="true"]').count())
    await dialog.cancel()
  })

  it('shows why a list is missing and what to do, and still accepts typed values', async () => {
    simulator.faults.start(status(500))
    const dialog = await editor().open('state')
    // The answers about the other panel are still cached.
    await dialog.fill({ panel: 'barn' })
    const picker = await Picker.open(dialog, 'partitions')
    const what = texts.get('panel.choices.failed') ?? ''
    const remedy = catalogue('en-US', 'account').get('account.finding.SERVER_ERROR') ?? ''
    await picker.place.locator('.keyholder-failed', { hasText: what }).filter({ hasText: remedy }).waitFor()
    await picker.leaf('77').waitFor()
    assert.equal(await picker.leaf(texts.get('panel.choices.unavailable') ?? '').count(), 0)
    await dialog.fill({ 'partitions-list': '3' })
    await picker.ticked('3', true)
    await dialog.cancel()
  })

  it('asks for a panel first', async () => {
    const dialog = await editor().open('state')
    await dialog.fill({ panel: '_ADD_' })
    const picker = await Picker.open(dialog, 'partitions')
    await picker.place.getByText(texts.get('panel.choices.noPanel') ?? '').waitFor()
    await dialog.cancel()
  })
})

inEveryNodeRed(
  'A picker in German',
  () => setup(german),
  (editor) => {
    after(() => simulators.close())

    it('shows types of devices and groups of events in German', async () => {
      const { dialog, picker } = await opened(editor(), 'readings', 'devices')
      await picker.branch(catalogue('de', 'panel').get('panel.deviceType.ZONE') ?? '').waitFor()
      await dialog.cancel()
      const events = await opened(editor(), 'events', 'typeIds')
      await events.picker.branch(catalogue('de', 'events').get('events.group.EP_ALARM') ?? '').waitFor()
      await events.dialog.cancel()
    })
  },
)

inEveryLook('The list of a picker', setup, (editor) => {
  after(() => simulators.close())

  it('has enough contrast with its background', async () => {
    for (const [id, list] of [
      ['state', 'partitions'],
      ['readings', 'devices'],
      ['events', 'labels'],
    ] as const) {
      const { dialog, picker } = await opened(editor(), id, list)
      await picker.tree.getByRole('treeitem').first().waitFor()
      const found = await contrasts(picker.place)
      assert.ok(found.length > 2)
      assert.deepEqual(
        found.filter(({ ratio }) => ratio < 4.5),
        [],
      )
      await dialog.cancel()
    }
  })
})

/** Opens the dialog of a node and one of its pickers. */
async function opened(editor: Editor, id: string, list: string) {
  const dialog = await editor.open(id)
  await dialog.unfold()
  return { dialog, picker: await Picker.open(dialog, list) }
}
