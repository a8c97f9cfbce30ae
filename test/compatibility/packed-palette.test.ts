import assert from 'node:assert/strict'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeNames } from '../../harness/fixtures/node-names.ts'
import { installNodeRed } from '../../harness/node-red/install-node-red.ts'
import { MessageServer } from '../../harness/node-red/message-server.ts'
import { NodeRedProcess, type Runtime } from '../../harness/node-red/node-red-process.ts'
import { install, neededPalettes, pack } from '../../harness/node-red/npm.ts'
import { type FlowNode, withRecorder } from '../../harness/node-red/recorded-flow.ts'
import {
  fillUserDirectory,
  paletteName as palette,
  removeDirectory,
  temporaryDirectory,
} from '../../harness/node-red/user-directory.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

interface End {
  nodeRed: string
  node: string
  dependencies: Readonly<Record<string, string>>
}

/** Both ends of what the package promises to run on, and of its ranges of dependencies. */
const ends: readonly End[] = [
  { nodeRed: '4.1', node: '20', dependencies: { got: '14', 'p-queue': '9' } },
  { nodeRed: '5.0', node: '24', dependencies: { got: '16', 'p-queue': '10' } },
]

describe('The packed tarball', () => {
  let directory: string
  let runtimes: ReadonlyMap<End, Runtime>

  before('both ends are installed at the same time', async () => {
    directory = await temporaryDirectory()
    const tarball = await pack(directory)
    const installed = ends.map(async (end) => [end, await installEnd(directory, tarball, end)] as const)
    runtimes = new Map(await Promise.all(installed))
  })

  after(() => removeDirectory(directory))

  for (const end of ends) {
    const { nodeRed: wanted, node, dependencies } = end
    describe(`in Node-RED ${wanted} on Node ${node}`, () => {
      let userDir: string
      let messages: MessageServer
      let nodeRed: NodeRedProcess | undefined

      before(async () => {
        userDir = userDirectory(directory, end)
        messages = await MessageServer.start()
        nodeRed = new NodeRedProcess(userDir, runtimes.get(end))
        await nodeRed.url
      })

      after(async () => {
        await nodeRed?.kill()
        await messages.close()
      })

      it('runs on exactly these versions', () => {
        assert.match(running().output, new RegExp(`Node-RED version: v${wanted}\\.`))
        assert.match(running().output, new RegExp(`Node\\.js {2}version: v${node}\\.`))
      })

      it('installs the dependencies at this end of their version ranges', async () => {
        for (const [name, major] of Object.entries(dependencies)) {
          const manifest = await readFile(join(userDir, 'node_modules', name, 'package.json'), 'utf8')
          assert.equal(JSON.parse(manifest).version.split('.')[0], major, name)
        }
      })

      it('contains code and documentation, but no sources', async () => {
        const files = await readdir(join(userDir, 'node_modules', palette), { recursive: true })
        assert.ok(files.includes('README.md') && files.includes('LICENSE'))
        assert.ok(files.includes(join('resources', 'pickers', 'picker.mjs')))
        assert.deepEqual(
          files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')),
          [],
        )
      })

      it('loads every node type without errors', async () => {
        const own = (await running().nodeSets()).filter(({ module }) => module === palette)
        assert.deepEqual(
          own.filter(({ err, enabled }) => err !== undefined || !enabled),
          [],
        )
        assert.deepEqual(
          own.flatMap(({ types }) => types),
          nodeNames.map((name) => `keyholder-${name}`),
        )
      })

      it('runs every example and the demo flow; each node sends a message, except commands that wait or are refused', async () => {
        for (const [file, flows] of await flowFiles()) {
          // Otherwise a node would wait until the demo household causes an event that it selects.
          const delivering = flows.map((node) =>
            node.type === 'keyholder-events' ? { ...node, first: 'deliver' } : node,
          )
          await running().deploy(withRecorder(delivering, messages.url))
          const nodes = flows.filter(({ type, z }) => z !== undefined && type.startsWith('keyholder-'))
          assert.ok(nodes.length > 0, file)
          // These speak when there is an alarm, or anything wrong.
          const silent = ['keyholder-command', 'keyholder-incident', 'keyholder-conditions']
          const speaking = nodes.filter(({ type }) => !silent.includes(type))
          // The flow is there as soon as a node shows its status. Some nodes send by themselves, others when asked.
          await messages.from(`${nodes[0]?.z} status`).first()
          for (const { id, type } of flows) {
            if (type === 'inject') await running().press(id)
            if (type === 'keyholder-chain-test') await running().startChainTest(id)
          }
          for (const { id } of speaking) await messages.from(id).first()
        }
        assert.doesNotMatch(running().output, /\[error\]|missing types|^\s+at /m)
      })

      it('works without ioredis, and a node whose account selects a cluster says what to install', async () => {
        assert.ok(!(await readdir(join(userDir, 'node_modules'))).includes('ioredis'))
        const url = 'http://127.0.0.1:9'
        const credentials = { email: 'user@example.com', password: 'secret', userCode: '1234' }
        await running().deploy(
          withRecorder(
            [
              { id: 'tab', type: 'tab' },
              { id: 'cluster', type: 'keyholder-cluster', address: 'redis://127.0.0.1' },
              { id: 'account', type: 'keyholder-account', cluster: 'cluster', url, credentials },
              { id: 'panel', type: 'keyholder-panel', account: 'account', serial: 'A1B2C3', credentials },
              { id: 'state', type: 'keyholder-state', z: 'tab', panel: 'panel' },
            ],
            messages.url,
          ),
        )
        const { error } = await messages.from('tab catch').first()
        const { code, message } = error as { code: string; message: string }
        assert.equal(code, 'NOT_CONFIGURED')
        assert.match(
          message,
          /^KeyholderError: A cluster needs the package ioredis\. .* npm install ioredis\./,
        )
      })

      it('stops in time', async () => {
        assert.equal(await running().stop(), 0)
      })

      function running(): NodeRedProcess {
        assert.ok(nodeRed)
        return nodeRed
      }
    })
  }
})

/** Installs a Node-RED, and into its user directory the tarball and the palettes that the examples need. */
async function installEnd(directory: string, tarball: string, end: End): Promise<Runtime> {
  const userDir = userDirectory(directory, end)
  await mkdir(userDir)
  const runtime = await installNodeRed(directory, end.nodeRed, end.node)
  const flows = (await flowFiles()).flatMap(([, nodes]) => nodes)
  await install(userDir, [tarball, ...neededPalettes(flows)], runtime.node)
  await fillUserDirectory(userDir, { settings: { nodesExcludes: [] } })
  return runtime
}

function userDirectory(directory: string, { nodeRed }: End): string {
  return join(directory, `home-${nodeRed}`)
}

/** The flows that a user can take over, by file. */
async function flowFiles(): Promise<[string, FlowNode[]][]> {
  const examples = (await readdir(join(project, 'examples'), { recursive: true }))
    .filter((file) => file.endsWith('.json'))
    .map((file) => join('examples', file))
  const files = [...examples, join('scripts', 'demo-flows.json')]
  return Promise.all(
    files.map(
      async (file): Promise<[string, FlowNode[]]> => [
        file,
        JSON.parse(await readFile(join(project, file), 'utf8')),
      ],
    ),
  )
}
