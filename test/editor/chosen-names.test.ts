import assert from 'node:assert/strict'
import { accountNode, at, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog } from '../../harness/browser/dialogs/dialog.ts'
import { inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { Picker } from '../../harness/browser/picker.ts'
import { Simulators } from '../../harness/browser/simulators.ts'
import { defaultsOf } from '../../harness/fixtures/node-fields.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

const simulators = new Simulators()
let simulator: Simulator

/** Returns flows with nodes that have selected something; the panel `barn` was never read. */
const setup = async () => {
  simulator = await simulators.start()
  const { serials, userCode } = simulator
  const [house] = simulator.world.panels
  const ids = [2, 4].map((number) => house?.zone(number).id)
  const place = (type: string) => ({
    type,
    z: 'tab',
    x: 200,
    wires: [[]],
    ...defaultsOf(type),
    panel: 'panel',
  })
  return {
    flows: [
      { id: 'tab', type: 'tab', label: 'Names' },
      accountNode('account', at(simulator)),
      panelNode('panel', { name: 'House', serial: serials[0], credentials: { userCode } }),
      panelNode('barn', { name: 'Barn', serial: serials[1], credentials: { userCode } }),
      { id: 'readings', y: 60, ...place('keyholder-readings'), devices: [...ids, 4711] },
      { id: 'events', y: 120, ...place('keyholder-events'), typeIds: [1], partitions: [1, -1] },
      { id: 'zone', y: 180, ...place('keyholder-command'), action: 'bypass', zone: '2' },
    ],
  }
}

inNewestNodeRed('The names of what is selected', setup, (editor) => {
  after(() => simulators.close())

  it('are shown without opening the list and without a request, as far as the panel knows them', async () => {
    const first = await editor().open('readings')
    // Now the answers are there, whether or not the first poll is over.
    await (await Picker.open(first, 'devices')).leaf('Kitchen window').waitFor()
    await first.cancel()
    await editor().reload()
    const before = simulator.requests.length
    const dialog = await editor().open('readings')
    await shows(dialog, 'devices-list', 'Kitchen window · Living room · 4711')
    await dialog.cancel()
    const bypass = await editor().open('zone')
    await shows(bypass, 'zone', 'Kitchen window')
    await bypass.cancel()
    const events = await editor().open('events')
    await shows(events, 'typeIds-list', 'Interior Alarm')
    assert.equal(simulator.requests.length, before)
    await events.cancel()
  })

  it('follow what is typed and ticked', async () => {
    const dialog = await editor().open('events')
    await dialog.fill({ 'partitions-list': '' })
    await namesOf(dialog, 'partitions-list').waitFor({ state: 'hidden' })
    const picker = await Picker.open(dialog, 'partitions')
    await picker.leaf('Workshop').click()
    await shows(dialog, 'partitions-list', 'Workshop')
    await dialog.fill({ 'partitions-list': '9, 3' })
    await shows(dialog, 'partitions-list', '9 · Garage')
    await dialog.cancel()
  })

  it('leave the text of the field as it is, which is a tooltip where it is cut off', async () => {
    const dialog = await editor().open('readings')
    const field = dialog.control('devices-list')
    const long = Array.from({ length: 30 }, (_, index) => 900_000 + index).join(', ')
    for (const [text, title] of [
      [long, long],
      ['3', null],
    ] as const) {
      await dialog.fill({ 'devices-list': text })
      await dialog.control('name').hover()
      await field.hover()
      assert.equal(await field.getAttribute('title'), title)
    }
    await dialog.cancel()
  })

  it('are those of the selected panel, and describe the field', async () => {
    const dialog = await editor().open('readings')
    await dialog.fill({ panel: 'barn' })
    await namesOf(dialog, 'devices-list').waitFor({ state: 'hidden' })
    await dialog.fill({ 'devices-list': '' })
    await (await Picker.open(dialog, 'devices')).leaf('Terrace door').first().click()
    await shows(dialog, 'devices-list', 'Terrace door')
    const described = await dialog.control('devices-list').getAttribute('aria-describedby')
    assert.equal(await namesOf(dialog, 'devices-list').getAttribute('id'), described)
    await dialog.cancel()
  })
})

function namesOf(dialog: Dialog, field: string) {
  return dialog.form.locator(`#node-input-${field}-names`)
}

async function shows(dialog: Dialog, field: string, text: string): Promise<void> {
  await namesOf(dialog, field).getByText(text, { exact: true }).waitFor()
}
