import assert from 'node:assert/strict'
import { isConfigType, openDialog } from '../../../harness/browser/dialogs/config-dialogs.ts'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import type { LeftOutFields } from '../../../harness/fixtures/left-out-fields.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'
import { nodeNames } from '../../../harness/fixtures/node-names.ts'

const { withoutDefaults }: LeftOutFields = await import(
  new URL('../../../scripts/examples/left-out-fields.js', import.meta.url).href
)

/** The editor's own object in the page, as far as it is used here. */
declare const RED: { nodes: { node(id: string): Record<string, unknown> & { valid: boolean } } }

/** No example has a cluster. */
const names = nodeNames.filter((name) => name !== 'cluster')

/** A node of each type with all its fields, and one as an example has it. */
const whole = [
  accountNode('whole account', { ...defaultsOf('keyholder-account'), source: 'demo' }),
  panelNode('whole panel', { ...defaultsOf('keyholder-panel'), account: 'whole account' }),
  ...placed(
    names.filter((name) => !isConfigType(name)).map((name) => ({ id: name, panel: 'whole panel' })),
  ).map((node) => (node.type === 'keyholder-health' ? { ...node, account: 'whole account' } : node)),
]
const lean = withoutDefaults(whole, defaultsOf).map((node) => ({
  ...JSON.parse(JSON.stringify(node).replace(/"(?:whole (?=\w+")|(?=a [\w-]+"))/g, '"lean ')),
  ...('x' in node && { x: 500 }),
}))
const flows = [{ id: 'tab', type: 'tab', label: 'Examples' }, ...whole, ...lean]

inNewestNodeRed('A field that an example leaves out', { flows }, (editor) => {
  /** Opens and saves the dialog of a node. Returns the values of its controls, if the node is valid, and what is saved. */
  const shown = async (name: string, prefix: '' | 'lean ') => {
    const flowNode = `${prefix}a ${isConfigType(name) ? 'health' : name}`
    const dialog = await openDialog(editor(), name, flowNode)
    const id = isConfigType(name) ? `${prefix || 'whole '}${name}` : flowNode
    const controls = await dialog.form.locator('input, select').evaluateAll((list) =>
      list.flatMap((control) => {
        const { id, type, value, checked } = control as HTMLInputElement
        return id.startsWith('red-ui') ? [] : [[id, type === 'checkbox' ? checked : value]]
      }),
    )
    const isValid = await editor().page.evaluate((node) => RED.nodes.node(node).valid, id)
    await dialog.save()
    const fields = Object.keys(defaultsOf(`keyholder-${name}`))
    const saved = await editor().page.evaluate(
      ([node, names]) => names.map((field) => [field, RED.nodes.node(node)[field]]),
      [id, fields] as const,
    )
    return { controls, isValid, saved }
  }

  for (const name of names)
    it(`is shown and saved as with its default: ${name}`, async () => {
      const expected = JSON.stringify(await shown(name, '')).replaceAll('whole ', 'lean ')
      await editor().closeDialogs()
      assert.deepEqual(await shown(name, 'lean '), JSON.parse(expected))
    })
})
