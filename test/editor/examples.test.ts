import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { inEveryNodeRed } from '../../harness/browser/in-every-look.ts'
import { joined, readExample } from '../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
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
    eachNode(
      use: (
        node: PlacedNode & { panel?: string; valid: boolean; _def: { button?: object; align?: string } },
      ) => void,
    ): void
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
  /** Where the editor draws a button beside the node. */
  button: 'left' | 'right' | undefined
}

const root = new URL('../../', import.meta.url)
/** Pixels. Browsers with other fonts make a node one step of the grid wider or narrower. */
const grid = 20
/** Pixels by which a button stands out of its node. */
const buttonWidth = 25
/** Pixels of the workspace at 1440 pixels, with palette and sidebar. */
const visibleWidth = 850

/** Returns all examples of a folder, and the demo flow, with functions in place of nodes whose palette is not installed here. */
async function allFlows(folder: string) {
  const files = (await readdir(new URL(`examples/${folder}`, root))).filter((file) => file.endsWith('.json'))
  const examples = await Promise.all(files.map((file) => readExample(folder + file.replace(/\.json$/, ''))))
  const demo =
    folder === '' ? JSON.parse(await readFile(new URL('scripts/demo-flows.json', root), 'utf8')) : []
  const isPlaced = ({ type, x }: FlowNode) => !type.startsWith('ui-') || x !== undefined
  return joined([...examples, demo])
    .filter(isPlaced)
    .map((node) => (node.type.startsWith('ui-') ? { ...node, type: 'function', outputs: 1 } : node))
}

/** A wire as it is drawn: points on it, its two ports, and the nodes below which it runs. */
interface Wire {
  from: string
  ports: string[]
  points: { x: number; y: number }[]
  over: string[]
}

/** Returns the wires of the tab that is shown. Runs in the page. */
function drawnWires(): Wire[] {
  const boxes = [...document.querySelectorAll('.red-ui-flow-node-group')].map((element) => ({
    id: element.id,
    box: (element.querySelector('.red-ui-flow-node') ?? element).getBoundingClientRect(),
  }))
  return [...document.querySelectorAll<SVGPathElement>('.red-ui-flow-link-line')].map((path) => {
    type Ends = { source: PlacedNode; sourcePort: number; target: PlacedNode }
    const { source, sourcePort, target } = (path as unknown as { __data__: Ends }).__data__
    const toScreen = path.getScreenCTM() as DOMMatrix
    const steps = Array.from({ length: 65 }, (_, step) => (step / 64) * path.getTotalLength())
    const points = steps.map((at) => path.getPointAtLength(at).matrixTransform(toScreen))
    const others = boxes.filter(({ id }) => id !== source.id && id !== target.id)
    const over = others.filter(({ box }) =>
      points.some(({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom),
    )
    return {
      from: source.name || source.type,
      ports: [`${source.id} ${sourcePort}`, target.id],
      points: points.map(({ x, y }) => ({ x, y })),
      over: over.map(({ id }) => id),
    }
  })
}

/** Returns true if two lines of points meet. */
function cross(one: Wire['points'], other: Wire['points']): boolean {
  type Point = Wire['points'][number]
  const side = (from: Point, to: Point, { x, y }: Point) =>
    Math.sign((to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x))
  const pairs = (points: Wire['points']) =>
    points.slice(1).map((to, index) => [points[index] ?? to, to] as const)
  return pairs(one).some(([a, b]) =>
    pairs(other).some(([c, d]) => side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b)),
  )
}

for (const [folder, language] of [
  ['', 'en-US'],
  ['Deutsch/', 'de-DE'],
] as const)
  inEveryNodeRed(
    `The examples and the demo flow on their tabs, in ${language}`,
    async () => ({ flows: await allFlows(folder), language }),
    (editor) => {
      /** The drawn nodes and wires, by the label of their tab. */
      const drawn = new Map<string, { nodes: PlacedNode[]; wires: Wire[] }>()

      before(async () => {
        const flows = await allFlows(folder)
        for (const { id, label } of flows.filter(({ type }) => type === 'tab')) {
          const inside = flows.filter(({ z }) => z === id)
          // The editor measures a node when it draws it.
          await editor().page.evaluate((tab) => RED.workspaces.show(tab), id)
          const count = inside.flatMap(({ wires }) => (wires as string[][]).flat()).length
          await editor().page.waitForFunction(
            ([ids, count]) =>
              ids.every((id) => document.getElementById(id) !== null) &&
              document.querySelectorAll('.red-ui-flow-link-line').length === count,
            [inside.filter(({ type }) => type !== 'junction').map(({ id }) => id), count] as const,
          )
          const nodes = await editor().page.evaluate((tab) => {
            const list: PlacedNode[] = []
            RED.nodes.eachNode(({ id, type, name, z, x, y, w, h, _def }) => {
              const side = _def.align === 'right' ? 'right' : 'left'
              const button = _def.button === undefined ? undefined : side
              if (z === tab && type !== 'junction') list.push({ id, type, name, z, x, y, w, h, button })
            })
            return list
          }, id)
          drawn.set(String(label), { nodes, wires: await editor().page.evaluate(drawnWires) })
        }
      })

      it('lie on the grid, and nothing overlaps or is cut, also no button', () => {
        const left = ({ x, w, button }: PlacedNode) => x - w / 2 - (button === 'left' ? buttonWidth : 0)
        const right = ({ x, w, button }: PlacedNode) => x + w / 2 + (button === 'right' ? buttonWidth : 0)
        for (const [tab, { nodes }] of drawn) {
          assert.ok(nodes.length > 4, tab)
          for (const [index, one] of nodes.entries()) {
            const what = `${tab}: ${one.name || one.type}`
            assert.equal(one.y % grid, 0, what)
            assert.ok(one.x - one.w / 2 >= grid, `${what} is cut`)
            // With other fonts it stands half a step further left.
            assert.ok(left(one) >= grid / 2, `the button of ${what} is cut`)
            for (const other of nodes.slice(index + 1)) {
              const isBeside = left(one) >= right(other) || left(other) >= right(one)
              const isBelow = Math.abs(one.y - other.y) >= (one.h + other.h) / 2
              assert.ok(isBeside || isBelow, `${what} overlaps ${other.name || other.type}`)
            }
          }
        }
      })

      it('fit the workspace of a laptop beside palette and sidebar, so that the last node is in view', () => {
        for (const [tab, { nodes }] of drawn)
          for (const { x, w, name, type } of nodes)
            assert.ok(x + w / 2 <= visibleWidth, `${tab}: ${name || type} reaches to ${x + w / 2}`)
      })

      it('have wires that neither cross one another nor run below a node', () => {
        for (const [tab, { wires }] of drawn) {
          for (const [index, one] of wires.entries()) {
            assert.deepEqual(one.over, [], `${tab}: a wire of ${one.from} runs over a node`)
            for (const other of wires.slice(index + 1)) {
              // Wires that meet at a port come together there.
              if (one.ports.some((port) => other.ports.includes(port))) continue
              assert.ok(
                !cross(one.points, other.points),
                `${tab}: wires of ${one.from} and ${other.from} cross`,
              )
            }
          }
        }
      })

      it('begin their comments where a column of nodes begins', async () => {
        const left = ({ x, w }: PlacedNode) => x - w / 2
        for (const [tab, { nodes }] of drawn) {
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
