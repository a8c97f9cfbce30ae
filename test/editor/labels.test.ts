import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { placed } from '../../harness/browser/placed-nodes.ts'
import { catalogue } from '../../harness/fixtures/locales.ts'
import { flowNodeNames } from '../../harness/fixtures/node-names.ts'

const flows = [
  { id: 'tab', type: 'tab', label: 'Labels' },
  accountNode('account'),
  panelNode('villa', { name: 'Villa' }),
  panelNode('barn'),
  ...placed([
    ...flowNodeNames.map((id) => ({ id, panel: 'villa', ...(id === 'health' && { account: 'account' }) })),
    { id: 'named', type: 'keyholder-state', panel: 'villa', name: 'Doors' },
    { id: 'barn', type: 'keyholder-state', panel: 'barn' },
  ]),
]

for (const [language, locale] of [
  ['en-US', 'en-US'],
  ['de-DE', 'de'],
] as const) {
  const words = flowNodeNames.map((name) =>
    (catalogue(locale, name).get(`${name}.named`) ?? '').replace('__panel__: ', ''),
  )
  const unknown = catalogue(locale, 'state').get('state.palette')
  inNewestNodeRed(`The label of a node, in ${language},`, { flows, language }, (editor) => {
    const labels = () => Promise.all(flowNodeNames.map((id) => editor().label(`a ${id}`).textContent()))

    it('begins with the name of its panel, unless node or panel have no name', async () => {
      assert.deepEqual(
        await labels(),
        words.map((word) => `Villa: ${word}`),
      )
      assert.equal(await editor().label('a named').textContent(), 'Doors')
      assert.equal(await editor().label('a barn').textContent(), unknown)
    })

    it('follows the name of the panel, also when this is undone', async () => {
      const dialog = await editor().open('a named')
      const panel = await dialog.edit('panel')
      await panel.fill({ name: 'Cabin' })
      await panel.save()
      await dialog.cancel()
      for (const [row, id] of flowNodeNames.entries())
        await editor()
          .label(`a ${id}`)
          .filter({ hasText: `Cabin: ${words[row]}` })
          .waitFor()
      await editor().page.keyboard.press('Control+z')
      await editor().label('a state').filter({ hasText: 'Villa' }).waitFor()
      assert.deepEqual(
        await labels(),
        words.map((word) => `Villa: ${word}`),
      )
    })
  })
}
