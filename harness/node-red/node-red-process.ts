import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FlowNode } from './recorded-flow.ts'

/** Which Node runs which Node-RED. */
export interface Runtime {
  /** The executable of Node. */
  node: string
  /** Node-RED's `red.js`. */
  red: string
}

/** What `GET /nodes` says of a node set. */
export interface NodeSet {
  id: string
  module: string
  types: string[]
  enabled: boolean
  err?: string
}

/** Node-RED as the project's own dependency, on the Node that runs the tests. */
export const ownRuntime: Runtime = {
  node: process.execPath,
  red: fileURLToPath(new URL('../../node_modules/node-red/red.js', import.meta.url)),
}

/** How a Node-RED is started; what is left out is as in `ownRuntime`. */
export interface Launch extends Partial<Runtime> {
  /** Options of Node itself, for example `--expose-gc`. */
  nodeOptions?: readonly string[]
}

/** How much a deploy starts anew: everything, the tabs in which something changed, or what changed. */
export type DeployKind = 'full' | 'flows' | 'nodes'

const longestStart = 60_000

/** A real Node-RED in a process of its own, on a free loopback port. */
export class NodeRedProcess {
  /** Where it listens, once its flows run too; rejects when it ends before. */
  readonly url: Promise<string>
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  #output = ''

  /** Starts it; `userDir` has its settings and flows. */
  constructor(
    userDir: string,
    { node = ownRuntime.node, red = ownRuntime.red, nodeOptions = [] }: Launch = {},
  ) {
    const child = spawn(node, [...nodeOptions, red, '--userDir', userDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('close', (code) => resolve(code)))
    this.url = new Promise((resolve, reject) => {
      const deadline = setTimeout(() => reject(this.#failure('did not start in time')), longestStart)
      let isUp = false
      const look = (data: Buffer) => {
        this.#output += data
        // It may print a lot later on.
        const url = isUp ? undefined : /Server now running at (\S+)/.exec(this.#output)?.[1]
        // It listens before it has read the credentials, and what is deployed between the two loses its own.
        if (url === undefined || !/Started flows|Waiting for missing types/.test(this.#output)) return
        isUp = true
        clearTimeout(deadline)
        resolve(url)
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      child.once('error', reject)
      child.once('close', (code) => {
        clearTimeout(deadline)
        reject(this.#failure(`ended with ${code} while it started`))
      })
    })
    // Whoever kills it while it starts does not wait for the address.
    this.url.catch(() => {})
  }

  /** Everything it printed. */
  get output(): string {
    return this.#output
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    if (this.isRunning) this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** Ends it as a service manager would; the answer is its exit code. */
  async stop(): Promise<number | null> {
    if (this.isRunning) this.#child.kill('SIGTERM')
    return this.#ended
  }

  /** The node sets it has loaded, or failed to. */
  async nodeSets(): Promise<NodeSet[]> {
    return this.get('nodes')
  }

  /** Deploys flows as the editor does, all of them anew unless another kind is asked for. */
  async deploy(flows: readonly FlowNode[], kind: DeployKind = 'full'): Promise<void> {
    await this.#ask('flows', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': kind },
      body: JSON.stringify(flows),
    })
  }

  /** Presses the button of an inject node, as a person does in the editor; it may send another message than its own. */
  async press(inject: string, message?: Record<string, unknown>): Promise<void> {
    const properties = Object.entries(message ?? {}).map(([p, v]) => ({
      p,
      v: JSON.stringify(v),
      vt: 'json',
    }))
    const other = {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ __user_inject_props__: properties }),
    }
    await this.#ask(`inject/${inject}`, { method: 'POST', ...(message && other) })
  }

  /** What an admin route answers, such as one that a test has put into settings.js. */
  async get<T>(path: string): Promise<T> {
    return (await this.#ask(path)).json() as Promise<T>
  }

  async #ask(path: string, options: RequestInit = {}): Promise<Response> {
    const headers = { Accept: 'application/json', ...(options.headers as Record<string, string>) }
    const response = await fetch(new URL(path, await this.url), { ...options, headers })
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
    return response
  }

  #failure(what: string): Error {
    return new Error(`Node-RED ${what}. It printed:\n${this.#output}`)
  }
}
