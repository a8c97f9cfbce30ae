import assert from 'node:assert/strict'
import { accountNode, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { placed } from '../../harness/browser/placed-nodes.ts'

const flows = [
  { id: 'tab', type: 'tab', label: 'Labels' },
  accountNode('account'),
  panelNode('villa', { name: 'Villa' }),
  panelNode('barn'),
  ...placed([
    { id: 'state', panel: 'villa' },
    { id: 'readings', panel: 'villa' },
    { id: 'events', panel: 'villa' },
    { id: 'incident', panel: 'villa' },
    { id: 'conditions', panel: 'villa' },
    { id: 'chain-test', panel: 'villa' },
    { id: 'query', panel: 'villa' },
    { id: 'command', panel: 'villa' },
    { id: 'health', account: 'account', panel: 'villa' },
    { id: 'home-assistant', panel: 'villa' },
    { id: 'named', type: 'keyholder-state', panel: 'villa', name: 'Doors' },
    { id: 'barn', type: 'keyholder-state', panel: 'barn' },
  ]),
]

const languages = [
  {
    language: 'en-US',
    words: [
      'state',
      'readings',
      'events',
      'incidents',
      'conditions',
      'chain test',
      'query',
      'command',
      'health',
      'Home Assistant',
    ],
    unknown: 'alarm panel state',
  },
  {
    language: 'de-DE',
    words: [
      'Zustand',
      'Messwerte',
      'Ereignisse',
      'Vorfälle',
      'offene Punkte',
      'Kettentest',
      'Abfrage',
      'Befehl',
      'Diagnose',
      'Home Assistant',
    ],
    unknown: 'Alarm: Zustand',
  },
]

for (const { language, words, unknown } of languages) {
  inNewestNodeRed(`The label of a node, in ${language},`, { flows, language }, (editor) => {
    const ids = [
      'state',
      'readings',
      'events',
      'incident',
      'conditions',
      'chain-test',
      'query',
      'command',
      'health',
      'home-assistant',
    ]
    const labels = () => Promise.all(ids.map((id) => editor().label(`a ${id}`).textContent()))

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
      for (const [row, id] of ids.entries())
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
