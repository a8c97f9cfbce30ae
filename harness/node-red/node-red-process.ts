import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { noteStarted } from '../mocha/suite-record.ts'
import type { FlowNode } from './recorded-flow.ts'

/** A version of Node-RED and the Node.js that runs it. */
export interface Runtime {
  /** The executable of Node.js. */
  node: string
  /** Node-RED's `red.js`. */
  red: string
}

/** A node set in the response of `GET /nodes`. */
export interface NodeSet {
  id: string
  module: string
  types: string[]
  enabled: boolean
  err?: string
}

/** The Node-RED that the project depends on, and the Node.js that runs the tests. */
export const ownRuntime: Runtime = {
  node: process.execPath,
  red: fileURLToPath(new URL('../../node_modules/node-red/red.js', import.meta.url)),
}

/** Options to start Node-RED; `ownRuntime` by default. */
export interface Launch extends Partial<Runtime> {
  /** Options of Node.js, for example `--expose-gc`. */
  nodeOptions?: readonly string[]
}

/** The part of the flows that a deploy restarts: everything, tabs with changes, or changed nodes. */
export type DeployKind = 'full' | 'flows' | 'nodes'

const longestStart = 100_000

/** A real Node-RED in another process, on a free loopback port. */
export class NodeRedProcess {
  /** The URL of the editor, resolved when the flows have started; rejects if the process ends before. */
  readonly url: Promise<string>
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  #output = ''

  /** Starts Node-RED with the settings and flows in `userDir`. */
  constructor(
    userDir: string,
    { node = ownRuntime.node, red = ownRuntime.red, nodeOptions = [] }: Launch = {},
  ) {
    noteStarted('node-red')
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
        // In English or German. Do not search the later output, which may be long.
        const url = isUp
          ? undefined
          : /Server (?:now running at|wird jetzt auf) (\S+)/.exec(this.#output)?.[1]
        // The server is up before the credentials are read; a deploy in between loses the credentials.
        if (
          url === undefined ||
          !/Started flows|Flows sind gestartet|Waiting for missing types/.test(this.#output)
        )
          return
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
    // A test that kills the process during its start does not wait for the URL.
    this.url.catch(() => {})
  }

  /** The output of the process so far. */
  get output(): string {
    return this.#output
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Kills the process, like a power failure. */
  async kill(): Promise<void> {
    if (this.isRunning) this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** Has the process stand still until it is resumed, like a suspended machine: it knows nothing of that time. */
  suspend(): void {
    this.#child.kill('SIGSTOP')
  }

  /** Lets the process go on. */
  resume(): void {
    this.#child.kill('SIGCONT')
  }

  /** Stops the process like a service manager, and returns its exit code. */
  async stop(): Promise<number | null> {
    if (this.isRunning) this.#child.kill('SIGTERM')
    return this.#ended
  }

  /** Returns the node sets, including those that failed to load. */
  async nodeSets(): Promise<NodeSet[]> {
    return this.get('nodes')
  }

  /** Deploys flows as the editor does; a full deploy by default. */
  async deploy(flows: readonly FlowNode[], kind: DeployKind = 'full'): Promise<void> {
    await this.#ask('flows', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': kind },
      body: JSON.stringify(flows),
    })
  }

  /**
   * Presses the button of an inject node, like a user of the editor.
   * @param message replaces the message of the node
   */
  async press(inject: string, message?: Record<string, unknown>): Promise<void> {
    const other = message && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(injectBody(message)),
    }
    await this.#ask(`inject/${inject}`, { method: 'POST', ...other })
  }

  /** Presses the button of a node of the alarm chain test. */
  async startChainTest(node: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' }
    await this.#ask(`keyholder/chain-test/${node}/start`, { method: 'POST', headers, body: '{}' })
  }

  /** Returns the JSON response of an admin route, such as a route that a test adds in settings.js. */
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

/** Returns the request body with which an inject node sends another message than its own. */
export function injectBody(message: Record<string, unknown>) {
  return {
    __user_inject_props__: Object.entries(message).map(([p, v]) => ({ p, v: JSON.stringify(v), vt: 'json' })),
  }
}
