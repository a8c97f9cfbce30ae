import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts'
import { AdminUsers } from './node-red/admin-users.ts'
import { deployedPath } from './node-red/deploys-in-turn.ts'
import { type Credentials, type FlowOptions, houseFlows } from './node-red/house-flows.ts'
import { type LogLine, logPath } from './node-red/log-by-node.ts'
import { MessageServer } from './node-red/message-server.ts'
import { injectBody } from './node-red/node-red-process.ts'
import type { FlowNode } from './node-red/recorded-flow.ts'
import { SharedNodeRed, sharedVariable } from './node-red/shared-node-red.ts'
import { showRequests } from './simulator.ts'

/**
 * A simulator, a server that records messages, and the tabs of one test file in a Node-RED with sign-in that the files of
 * a run share. Without `harness/mocha/shared-node-red.js` it is a Node-RED of its own.
 *
 * Other tabs come and go meanwhile. Ids are unique: `id` tells the one that a node has there.
 */
export class TabHarness {
  readonly simulator: Simulator
  readonly messages: MessageServer
  /** The URL of the editor. */
  readonly url: string
  readonly users: AdminUsers
  readonly #own: SharedNodeRed | undefined
  readonly #hideRequests: () => void
  // Without digits: a test may search an answer with an id for a code.
  readonly #suffix = `-${randomUUID().replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')}`
  /** The number of lines in the log before. */
  readonly #linesBefore: number

  constructor(
    simulator: Simulator,
    messages: MessageServer,
    url: string,
    linesBefore: number,
    own: SharedNodeRed | undefined,
  ) {
    this.simulator = simulator
    this.messages = messages
    this.url = url
    this.users = new AdminUsers(Promise.resolve(url))
    this.#linesBefore = linesBefore
    this.#own = own
    this.#hideRequests = showRequests(simulator)
  }

  /** The id that a node of this file has in the shared Node-RED. */
  id(node: string): string {
    return `${node}${this.#suffix}`
  }

  /** Deploys an account, a panel, and one tab with the given nodes. */
  async deployHouse(nodes: readonly FlowNode[], options: FlowOptions = {}): Promise<void> {
    const { flows, credentials } = houseFlows(this.simulator, this.messages, nodes, options)
    await this.deploy(flows, credentials)
  }

  /** Replaces the tabs and config nodes of this file, and waits until they have started. */
  async deploy(flows: readonly FlowNode[], credentials: Credentials = {}): Promise<void> {
    const ids = new Set(flows.map(({ id }) => id))
    const own = flows.map((node) => {
      const secrets = credentials[node.id]
      return { ...this.#renamed(node, ids), ...(secrets && { credentials: secrets }) }
    })
    // Another file may deploy between the two requests; then Node-RED refuses.
    while (!(await this.#replaceOwn(own)));
    await this.get(deployedPath)
  }

  /**
   * Presses the button of an inject node, like a user of the editor.
   * @param message replaces the message of the node
   */
  async press(inject: string, message?: Record<string, unknown>): Promise<void> {
    const body = message ? injectBody(message) : {}
    const { status } = await this.users.post('admin', `inject/${this.id(inject)}`, body)
    assert.equal(status, 200, inject)
  }

  /** Returns the JSON response of an admin route; rejects if Node-RED does not answer. */
  async get<T>(path: string): Promise<T> {
    return (await this.#ask(path)).json() as Promise<T>
  }

  /** Returns the log so far, without the lines about nodes of other files. */
  async log(): Promise<string> {
    const lines = (await this.get<LogLine[]>(logPath)).slice(this.#linesBefore)
    return lines
      .filter(({ id }) => id === undefined || id.endsWith(this.#suffix))
      .map(({ text }) => text)
      .join('\n')
  }

  /** Removes the tabs. */
  async close(): Promise<void> {
    this.#hideRequests()
    try {
      await this.deploy([])
    } finally {
      await Promise.all([this.#own?.close(), this.messages.close(), this.simulator.close()])
    }
  }

  /** Deploys; returns false if the flows have changed since they were read. */
  async #replaceOwn(own: readonly FlowNode[]): Promise<boolean> {
    const version = { 'Node-RED-API-Version': 'v2' }
    const { rev, flows } = await (await this.#ask('flows', { headers: version })).json()
    const others = (flows as FlowNode[]).filter(({ id }) => !id.endsWith(this.#suffix))
    const headers = { ...version, 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': 'flows' }
    const body = JSON.stringify({ rev, flows: [...others, ...own] })
    const { status } = await this.#ask('flows', { method: 'POST', headers, body }, [409])
    return status !== 409
  }

  async #ask(path: string, options: RequestInit = {}, expected: readonly number[] = []): Promise<Response> {
    const authorization = await this.users.authorization('admin')
    const headers = { Accept: 'application/json', ...(options.headers as object), ...authorization }
    const response = await fetch(new URL(path, this.url), { ...options, headers })
    if (!response.ok && !expected.includes(response.status))
      throw new Error(`${path} was answered with ${response.status}`)
    return response
  }

  /** Returns a node with the ids of the shared Node-RED, also where it refers to another node. */
  #renamed(node: FlowNode, ids: ReadonlySet<string>): FlowNode {
    const rename = (value: unknown): unknown => {
      if (typeof value === 'string') return ids.has(value) ? this.id(value) : value
      if (Array.isArray(value)) return value.map(rename)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rename(member)]))
    }
    // A tab of a test has the id `tab`.
    const type = node.type.replace(/(?<=^subflow:).+/, (id) => this.id(id))
    return { ...(rename(node) as FlowNode), type }
  }
}

/** Starts a simulator, and the shared Node-RED if it is not there; close the harness after the tests. */
export async function startTabHarness(): Promise<TabHarness> {
  const address = process.env[sharedVariable]
  const own = address === undefined ? await SharedNodeRed.start() : undefined
  const url = own?.url ?? (await askForUrl(address ?? ''))
  try {
    const lines = (await (await fetch(new URL(logPath, url))).json()) as LogLine[]
    const simulator = await startSimulator({ maxLoggedRequests: 1_000_000 })
    return new TabHarness(simulator, await MessageServer.start(), url, lines.length, own)
  } catch (error) {
    await own?.close()
    throw error
  }
}

async function askForUrl(address: string): Promise<string> {
  const response = await fetch(address)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}
