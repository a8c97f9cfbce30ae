/** The parts of the test helper that we use; the package brings no types. */
declare module 'node-red-node-test-helper' {
  import type { EventEmitter } from 'node:events'
  import type { Node, NodeAPI, NodeContext } from 'node-red'

  interface TestHelper {
    settings(settings: object): object
    load(nodes: readonly ((RED: NodeAPI) => void)[], flow: object[], credentials: object): Promise<void>
    unload(): Promise<void>
    setFlows(flow: object[], type: 'full' | 'flows' | 'nodes', credentials: object): Promise<void>
    getNode(id: string): (EventEmitter & { receive(message: object): void; context(): NodeContext }) | null
    /** The spy of the log, after `load`. */
    log(): { restore(): void }
    /** The types that it loads by itself for each node of a flow that has one of them. */
    readonly _nodeModules: Record<string, (RED: NodeAPI) => void>
    /** The methods of all nodes; from a `load` to the `unload`, spies of some of them. */
    readonly _NodePrototype: Node
  }

  const helper: TestHelper
  export default helper
}
