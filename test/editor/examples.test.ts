import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { inEveryNodeRed } from '../../harness/browser/in-every-look.ts'
import { joined, readExample } from '../../harness/node-red/imported-examples.ts'
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
    eachNode(use: (node: PlacedNode & { panel?: string; valid: boolean }) => void): void
    workspace(id: string): { label: string }
  }
  workspaces: { show(id: string): void }
}

/** A node on a tab, with the place and the size that the editor gives it. */
interface PlacedNode {
  id: string
  type: string
  name: string
  z: string
  x: number
  y: number
  w: number
  h: number
}

const root = new URL('../../', import.meta.url)
/** Pixels. Browsers with other fonts make a node one step of the grid wider or narrower. */
const grid = 20

/** Returns all examples and the demo flow, without the nodes of palettes that are not installed here. */
async function allFlows() {
  const files = await readdir(new URL('examples', root))
  const examples = await Promise.all(files.map((file) => readExample(file.replace(/\.json$/, ''))))
  const demo = JSON.parse(await readFile(new URL('scripts/demo-flows.json', root), 'utf8'))
  return joined([...examples, demo]).filter(({ type }) => !type.startsWith('ui-'))
}

inEveryNodeRed(
  'The examples and the demo flow on their tabs',
  async () => ({ flows: await allFlows() }),
  (editor) => {
    /** Returns the nodes by the label of their tab. */
    const placed = async () => {
      const tabs = (await allFlows()).filter(({ type }) => type === 'tab')
      const found = new Map<string, PlacedNode[]>()
      for (const { id, label } of tabs) {
        // The editor measures a node when it draws it.
        await editor().page.evaluate((tab) => RED.workspaces.show(tab), id)
        await editor().page.waitForFunction((tab) => {
          let isDrawn = true
          RED.nodes.eachNode(({ id, type, z }) => {
            if (z === tab && type !== 'junction') isDrawn &&= document.getElementById(id) !== null
          })
          return isDrawn
        }, id)
        const nodes = await editor().page.evaluate((tab) => {
          const list: PlacedNode[] = []
          RED.nodes.eachNode(({ id, type, name, z, x, y, w, h }) => {
            if (z === tab && type !== 'junction') list.push({ id, type, name, z, x, y, w, h })
          })
          return list
        }, id)
        found.set(String(label), nodes)
      }
      return found
    }

    it('lie on the grid, and nothing overlaps or is cut', async () => {
      for (const [tab, nodes] of await placed()) {
        assert.ok(nodes.length > 4, tab)
        for (const [index, one] of nodes.entries()) {
          const what = `${tab}: ${one.name || one.type}`
          assert.equal(one.y % grid, 0, what)
          assert.ok(one.x - one.w / 2 >= grid, `${what} is cut`)
          for (const other of nodes.slice(index + 1)) {
            const isBeside = Math.abs(one.x - other.x) >= (one.w + other.w) / 2
            const isBelow = Math.abs(one.y - other.y) >= (one.h + other.h) / 2
            assert.ok(isBeside || isBelow, `${what} overlaps ${other.name || other.type}`)
          }
        }
      }
    })

    it('begin their comments where a column of nodes begins', async () => {
      const left = ({ x, w }: PlacedNode) => x - w / 2
      for (const [tab, nodes] of await placed()) {
        const columns = nodes.filter(({ type }) => type !== 'comment').map(left)
        for (const comment of nodes.filter(({ type }) => type === 'comment')) {
          const isAligned = columns.some((column) => Math.abs(column - left(comment)) <= grid / 2)
          assert.ok(isAligned, `${tab}: ${comment.name}`)
        }
      }
    })
  },
)

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
