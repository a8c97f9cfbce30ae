import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, symlink, utimes } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MessageServer } from '../../../harness/node-red/message-server.ts'
import { type FlowNode, withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { removeDirectory, temporaryDirectory } from '../../../harness/node-red/user-directory.ts'

const project = fileURLToPath(new URL('../../..', import.meta.url))

/** A copy of the checkout with the packages installed, so that the test leaves nothing in the real one. */
async function checkout(): Promise<string> {
  const copy = await temporaryDirectory()
  const parts = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.types.json',
    'scripts',
    'harness',
    'nodes',
    'src',
    'examples',
  ]
  await Promise.all(parts.map((part) => cp(join(project, part), join(copy, part), { recursive: true })))
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'), 'junction')
  await utimes(join(copy, 'package-lock.json'), 0, 0)
  return copy
}

/** `npm start` without npm, which only passes it on. */
class Start {
  readonly #child: ChildProcess
  readonly #watchers = new Set<() => void>()
  readonly ended: Promise<number | null>
  printed = ''

  constructor(directory: string, port: number, args: string[] = [], language = 'en_US.UTF-8') {
    const env = { ...process.env, PORT: String(port), LC_ALL: language }
    const child = spawn(process.execPath, ['scripts/start.js', ...args], { cwd: directory, env })
    this.#child = child
    this.ended = new Promise((resolve) => child.once('close', resolve))
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        this.printed += data
        for (const watcher of [...this.#watchers]) watcher()
      })
    }
  }

  /** The first of what it prints that matches; rejects when it ends without. */
  prints(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this.printed)?.[0]
        if (found !== undefined) resolve(found)
      }
      this.#watchers.add(look)
      look()
      void this.ended.then((code) => reject(new Error(`It ended with ${code} and printed: ${this.printed}`)))
    })
  }

  interrupt(): Promise<number | null> {
    this.#child.kill('SIGINT')
    return this.ended
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}

/** Arms a partition of the first panel on the console page. */
async function pressAway(panelConsole: string, partition: number): Promise<void> {
  const { panels } = (await (await fetch(new URL('console/state', panelConsole))).json()) as {
    panels: { serial: string }[]
  }
  const { status } = await fetch(new URL('console/keypad', panelConsole), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: new URL(panelConsole).origin },
    body: JSON.stringify({ panel: panels[0]?.serial, partition, to: 'AWAY' }),
  })
  assert.equal(status, 200)
}

describe('npm start', () => {
  it('starts Node-RED on loopback, in German if the environment asks for it, with messages of all three nodes and a console that controls the panel, and stops on Ctrl-C', async () => {
    const directory = await checkout()
    const messages = await MessageServer.start()
    const start = new Start(directory, 0, [], 'de_DE.UTF-8')
    try {
      const url = await start.prints(/http:\/\/127\.0\.0\.1:\d+\//)
      await start.prints(/Ctrl-C ends it/)
      const flows = (await (await fetch(new URL('flows', url))).json()) as FlowNode[]
      const headers = { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'full' }
      await fetch(new URL('flows', url), {
        method: 'POST',
        headers,
        body: JSON.stringify(withRecorder(flows, messages.url, 'http request')),
      })
      assert.equal(flows.find(({ type }) => type === 'tab')?.label, 'Demo der Alarmzentrale')
      const nodes = flows.filter(({ type, z }) => z !== undefined && type.startsWith('keyholder-'))
      assert.equal(nodes.length, 3)
      const { id: events = '' } = nodes.find(({ type }) => type === 'keyholder-events') ?? {}
      for (const { id } of nodes) if (id !== events) await messages.from(id).first()
      const panelConsole = /console[\s\S]*?(http:\/\/127\.0\.0\.1:\d+\/)/.exec(start.printed)?.[1] ?? ''
      await pressAway(panelConsole, 3)
      const { id: state = '' } = nodes.find(({ type }) => type === 'keyholder-state') ?? {}
      await messages.from(state).first(({ partition, payload }) => partition.id === 3 && payload === 'ARMING')
      await messages.from(events).first()
      assert.equal(await start.interrupt(), 0)
      assert.doesNotMatch(start.printed, /\[(warning|error)\]|^\s+at /m)
    } finally {
      await start.end()
      await Promise.all([messages.close(), removeDirectory(directory)])
    }
  })

  it('reports in one sentence that its port is in use, and the remedy', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const start = new Start(project, port)
    assert.equal(await start.ended, 1)
    server.close()
    assert.match(start.printed, new RegExp(`^Port ${port} is already in use; .*PORT=\\d+ .*npm start\\n$`))
  })

  it('reports an unknown option in one sentence', async () => {
    const start = new Start(project, 0, ['--rest'])
    assert.equal(await start.ended, 1)
    assert.match(start.printed, /^"--rest" is unknown; .*--reset\n$/)
  })
})
