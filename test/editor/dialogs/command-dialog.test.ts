import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { accountNode, at, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog, Values } from '../../../harness/browser/dialogs/dialog.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { Picker } from '../../../harness/browser/picker.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'

const variable = `\${PARTITION}`

/** The states of a panel that does not define its own, as the list shows them. */
const usual = ['Armed, nobody at home AWAY', 'Armed, somebody at home HOME', 'Disarmed DISARM']

const command = {
  type: 'keyholder-command',
  z: 'tab',
  wires: [[]],
  ...defaultsOf('keyholder-command'),
}

const flows = [
  { id: 'tab', type: 'tab', label: 'Commands' },
  accountNode('account', { name: 'Demo' }),
  accountNode('service', { name: 'Service', source: 'service', url: 'https://alarm.example.com' }),
  panelNode('open', { name: 'Takes commands' }),
  panelNode('shut', { name: 'Takes none', account: 'service', serial: '1' }),
  ...[
    { id: 'whole', panel: 'open' },
    { id: 'away', panel: 'open', state: 'AWAY', options: ['LATCHKEY', 'OLD'] },
    { id: 'gone', panel: 'open', partition: '7' },
    { id: 'zone', panel: 'open', action: 'bypass', zone: '42' },
    { id: 'foreign', panel: 'open', state: 'NIGHT' },
    { id: 'forbidden', panel: 'shut' },
  ].map((fields, row) => ({ ...command, x: 200, y: 60 + 60 * row, ...fields })),
]

inNewestNodeRed('The dialog of a command', { flows }, (editor) => {
  it('shows a hint while commands to the panel are turned off, and none for a demo panel', async () => {
    const dialog = await editor().open('forbidden')
    const tip = dialog.form.getByText('turn on: Allow flows to send commands to this panel')
    await tip.waitFor()
    const panel = await dialog.edit('panel')
    await panel.fill({ allowCommands: true })
    await panel.save()
    await tip.waitFor({ state: 'hidden' })
    await dialog.cancel()
    const other = await editor().open('whole')
    await picked(other, 'partition')
    assert.equal(await tip.isVisible(), false)
    await other.cancel()
  })

  it('shows the fields of the selected action, and options only for states that have them', async () => {
    const dialog = await editor().open('whole')
    const shown = async (values: Values) => {
      await dialog.fill(values)
      return Object.keys(await dialog.values()).filter((name) => !['panel', 'action', 'name'].includes(name))
    }
    assert.deepEqual(await shown({ action: 'bypass' }), ['zone', 'enabled'])
    assert.deepEqual(await shown({ action: 'siren_on' }), [])
    const arming = ['partition', 'state', 'options-list', 'openZones']
    assert.deepEqual(await shown({ action: 'set_state' }), arming)
    assert.deepEqual(await shown({ openZones: 'bypass' }), arming)
    assert.deepEqual(await shown({ state: 'DISARM' }), ['partition', 'state'])
    await dialog.cancel()
  })

  it('lists the partitions, selects one of them, and ticks a typed one', async () => {
    const dialog = await editor().open('whole')
    const tree = await picked(dialog, 'partition')
    assert.deepEqual(await texts(tree), ['Whole panel ALL · -1', 'House 1', 'Workshop 2', 'Garage 3'])
    await dialog.form.locator('#node-input-partition-names').getByText('Whole panel').waitFor()
    await tree.getByText('Workshop').click()
    await has(dialog, 'partition', '2')
    await dialog.control('partition').fill('3')
    await ticked(tree, 'Garage 3')
    await tree.getByText('House').click()
    await has(dialog, 'partition', '1')
    await ticked(tree, 'House 1')
    await dialog.cancel()
  })

  it('keeps a partition that the panel does not have, marked as unavailable, and a variable, marked as such', async () => {
    const dialog = await editor().open('gone')
    const tree = await picked(dialog, 'partition')
    await ticked(tree, '7 unavailable')
    await dialog.control('partition').fill(variable)
    await ticked(tree, `${variable} environment variable`)
    await dialog.cancel()
  })

  it('lists the zones, and selects one by its number', async () => {
    const dialog = await editor().open('zone')
    const tree = await picked(dialog, 'zone')
    await ticked(tree, '42 unavailable')
    await tree.getByText('Bedroom window').click()
    await has(dialog, 'zone', '3')
    assert.equal(await tree.getByText('Keyfob').count(), 0)
    await dialog.cancel()
  })

  it('lists the options of the selected state in words, and keeps others that are selected', async () => {
    const dialog = await editor().open('away')
    const [noEntry, latchkey] = ['No entry delay: alarm at once', 'Reports when a child comes home']
    assert.deepEqual(await texts(await picked(dialog, 'options')), [
      'OLD unavailable',
      `${noEntry} NOENTRY`,
      `${latchkey} LATCHKEY`,
    ])
    await dialog.form.locator('#node-input-options-list-names').getByText(`${latchkey} · OLD`).waitFor()
    await dialog.fill({ state: 'HOME' })
    const tree = await picked(dialog, 'options')
    assert.deepEqual(await texts(tree), [
      `${latchkey} LATCHKEY · unavailable`,
      'OLD unavailable',
      `${noEntry} NOENTRY`,
    ])
    await tree.getByText('NOENTRY').click()
    await has(dialog, 'options-list', 'LATCHKEY, OLD, NOENTRY')
    await dialog.fill({ state: '' })
    const ofAll = await texts(await picked(dialog, 'options'))
    assert.ok(ofAll.includes(`${noEntry} NOENTRY · AWAY · HOME`), ofAll.join('\n'))
    await dialog.cancel()
  })

  it('keeps an unknown state', async () => {
    const dialog = await editor().open('foreign')
    await has(dialog, 'state', 'NIGHT')
    await ticked(await picked(dialog, 'state'), 'NIGHT unavailable')
    await dialog.save()
    const again = await editor().open('foreign')
    await has(again, 'state', 'NIGHT')
    await again.cancel()
  })

  it('takes the state from the message while none is selected', async () => {
    const dialog = await editor().open('away')
    const tree = await picked(dialog, 'state')
    await ticked(tree, 'Armed, nobody at home AWAY')
    await tree.getByText('from the message').click()
    await has(dialog, 'state', '')
    await ticked(tree, 'from the message')
    await dialog.cancel()
  })

  it('has no list and no hint for a field that comes from elsewhere, and marks a path that is none', async () => {
    const dialog = await editor().open('whole')
    await dialog.fill({ state: 'msg:mode' })
    const list = dialog.form.locator('#keyholder-state-choose')
    await list.waitFor({ state: 'hidden' })
    assert.equal(await dialog.control('state').getAttribute('placeholder'), '')
    await dialog.fill({ state: 'msg:mode[' })
    await dialog.typedInput('state').and(dialog.form.locator('.input-error')).waitFor()
    await dialog.fill({ state: 'DISARM' })
    await list.waitFor()
    await dialog.typedInput('state').and(dialog.form.locator(':not(.input-error)')).waitFor()
    assert.deepEqual(Object.keys(await dialog.values()), ['panel', 'action', 'partition', 'state', 'name'])
    await dialog.fill({ state: 'msg:DISARM' })
    assert.ok('openZones' in (await dialog.values()))
    await dialog.cancel()
  })

  it('lists the usual states if no panel can be asked', async () => {
    const dialog = await editor().open('whole')
    await dialog.fill({ panel: '_ADD_' })
    assert.deepEqual(await texts(await picked(dialog, 'state')), ['from the message', ...usual])
    await dialog.cancel()
  })
})

const simulators = new Simulators()

/** Returns flows with a panel that defines a state itself. */
const setup = async () => {
  const simulator = await simulators.start({ hasNight: true })
  const { serials, userCode } = simulator
  return {
    flows: [
      { id: 'tab', type: 'tab', label: 'States' },
      accountNode('account', at(simulator)),
      panelNode('night', { serial: serials[0], credentials: { userCode } }),
      { ...command, id: 'command', x: 200, y: 60, panel: 'night' },
    ],
  }
}

inNewestNodeRed('The states in the dialog of a command', setup, (editor) => {
  after(() => simulators.close())

  // @spec 2.6
  it('are those that the panel offers, in words as far as they are known, and are stored as its words', async () => {
    const dialog = await editor().open('command')
    const tree = await picked(dialog, 'state')
    assert.deepEqual(await texts(tree), ['from the message', ...usual, 'NIGHT'])
    await tree.getByText('NIGHT').click()
    await has(dialog, 'state', 'NIGHT')
    await tree.getByText('Armed, somebody at home').click()
    await has(dialog, 'state', 'HOME')
    await dialog.form.locator('#node-input-state-names').getByText('Armed, somebody at home').waitFor()
    await dialog.save()
    const again = await editor().open('command')
    await has(again, 'state', 'HOME')
    await again.cancel()
  })

  it('can be chosen by keyboard alone', async () => {
    const dialog = await editor().open('command')
    const { keyboard } = editor().page
    await dialog.control('state').focus()
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    const { tree } = Picker.of(dialog, 'state')
    await tree.waitFor()
    await keyboard.press('Tab')
    for (const _ of usual) await keyboard.press('ArrowDown')
    await keyboard.press('Space')
    await ticked(tree, 'Disarmed DISARM')
    await has(dialog, 'state', 'DISARM')
    await dialog.cancel()
  })
})

/** Opens the list of a field, and waits for it. */
async function picked(dialog: Dialog, field: string): Promise<Locator> {
  const { tree } = await Picker.open(dialog, field)
  await tree.waitFor()
  return tree
}

async function texts(tree: Locator): Promise<string[]> {
  const rows = await tree.locator('[role=treeitem]').allInnerTexts()
  return rows.map((text) => text.trim().replace(/\s+/g, ' '))
}

/** Waits until this item and no other is ticked. */
async function ticked(tree: Locator, text: string): Promise<void> {
  const rows = tree.locator('[role=treeitem][aria-checked=true]')
  const words = text.replace(/[^\w\s]/g, '\\$&').replaceAll(' ', '\\s*')
  await rows.filter({ hasText: new RegExp(`^\\s*${words}\\s*$`) }).waitFor()
  assert.equal(await rows.count(), 1)
}

async function has(dialog: Dialog, field: string, value: string): Promise<void> {
  assert.equal(await dialog.control(field).inputValue(), value)
}
