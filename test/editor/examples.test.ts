import assert from 'node:assert/strict'
import { inEveryNodeRed } from '../../harness/browser/in-every-look.ts'
import { paletteName } from '../../harness/node-red/user-directory.ts'

interface ConfigNode {
  type: string
  source?: string
  id: string
}

/** The editor's own object in the page, as far as it is used here. */
declare const RED: {
  actions: { invoke(name: string): void }
  nodes: {
    eachConfig(use: (node: ConfigNode & { source: string; dirty: boolean }) => void): void
    eachNode(use: (node: { type: string; panel?: string; valid: boolean }) => void): void
  }
}

inEveryNodeRed('The examples in the import dialog', { flows: [] }, (editor) => {
  /** Imports an example like a user; `answer` is the button for the question about nodes that exist already. */
  async function importExample(name: string, ...answers: readonly string[]): Promise<void> {
    const { page } = editor()
    await page.evaluate(() => RED.actions.invoke('core:show-examples-import-dialog'))
    const dialog = page.locator('#red-ui-clipboard-dialog')
    const item = (label: string) =>
      dialog.locator('.red-ui-treeList-label-text:visible', { hasText: label }).first()
    if (!(await item(name).isVisible())) await item(paletteName).click()
    await item(name).click()
    await page.locator('#red-ui-clipboard-dialog-ok').click()
    for (const answer of answers) await page.getByRole('button', { name: answer }).click()
    await page.locator('#red-ui-workspace-tabs .red-ui-tab', { hasText: name }).waitFor()
  }

  const configs = () =>
    editor().page.evaluate(() => {
      const found: ConfigNode[] = []
      RED.nodes.eachConfig(({ id, type, source }) => {
        if (type.startsWith('keyholder-')) found.push({ id, type, source })
      })
      return found
    })

  it('join the account and the panel that are there, also after they were set up for a service', async () => {
    await importExample('Panel state')
    const [account, panel, ...others] = await configs()
    assert.deepEqual([account?.type, panel?.type, others], ['keyholder-account', 'keyholder-panel', []])
    await editor().page.evaluate(() =>
      RED.nodes.eachConfig((node) => {
        if (node.type === 'keyholder-account') node.source = 'service'
      }),
    )
    await importExample('Arm and disarm', 'Import copy')
    await importExample('New events', 'View nodes...', 'Import selected')
    assert.deepEqual(await configs(), [{ ...account, source: 'service' }, panel])
    const users = await editor().page.evaluate(() => {
      const found: Record<string, string | undefined> = {}
      RED.nodes.eachNode(({ type, panel }) => {
        if (type.startsWith('keyholder-')) found[type] = panel
      })
      return found
    })
    const used = panel?.id
    assert.deepEqual(users, { 'keyholder-state': used, 'keyholder-command': used, 'keyholder-events': used })
  })
})
