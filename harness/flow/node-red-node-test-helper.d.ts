/** The parts of the test helper that we use; the package brings no types. */
declare module 'node-red-node-test-helper' {
  import type { EventEmitter } from 'node:events'
  import type { NodeAPI, NodeContext } from 'node-red'

  interface TestHelper {
    settings(settings: object): object
    load(nodes: readonly ((RED: NodeAPI) => void)[], flow: object[], credentials: object): Promise<void>
    unload(): Promise<void>
    setFlows(flow: object[], type: 'full' | 'flows' | 'nodes', credentials: object): Promise<void>
    getNode(id: string): (EventEmitter & { receive(message: object): void; context(): NodeContext }) | null
    /** Every call of the log, after `load`. */
    log(): { args: unknown[][] }
  }

  const helper: TestHelper
  export default helper
}
