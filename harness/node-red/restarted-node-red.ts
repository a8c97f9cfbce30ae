import { type NodeRedHarness, startNodeRedHarness } from '../node-red.ts'
import type { Credentials } from './house-flows.ts'
import type { ExampleSite } from './imported-examples.ts'
import type { NodeRedProcess } from './node-red-process.ts'
import type { FlowNode } from './recorded-flow.ts'

/** A place for examples in a Node-RED of its own, which a test can stop and start. */
export class RestartedNodeRed implements ExampleSite {
  readonly harness: NodeRedHarness
  #nodeRed: NodeRedProcess | undefined

  private constructor(harness: NodeRedHarness) {
    this.harness = harness
  }

  /** Prepares it; the first deploy starts Node-RED. */
  static async open(): Promise<RestartedNodeRed> {
    return new RestartedNodeRed(await startNodeRedHarness())
  }

  get simulator() {
    return this.harness.simulator
  }

  get messages() {
    return this.harness.messages
  }

  async deploy(flows: readonly FlowNode[], credentials: Credentials): Promise<void> {
    await this.harness.writeFlowFile(flows, credentials)
    this.start()
    await this.#nodeRed?.url
  }

  /** Starts Node-RED, without waiting for it. */
  start(): void {
    this.#nodeRed = this.harness.startNodeRed()
  }

  /** Stops Node-RED like a service manager. */
  async stop(): Promise<void> {
    await this.#nodeRed?.stop()
  }

  async press(inject: string, message?: Record<string, unknown>): Promise<void> {
    await this.#nodeRed?.press(inject, message)
  }

  async log(): Promise<string> {
    return this.#nodeRed?.output ?? ''
  }

  close(): Promise<void> {
    return this.harness.close()
  }
}
