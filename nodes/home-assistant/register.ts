import type { Node, NodeAPI } from 'node-red'
import { Lazy } from '../../src/concurrency.ts'
import { refuseUnsetVariables } from '../../src/settings.ts'
import { brokerInput } from '../binding/broker-input.ts'
import { type AttachedDef, bindToPanel, type FlowMessage } from '../binding/panel-binding.ts'
import { guard } from '../shared/guard.ts'

/** The base topic is used also while the panel cannot be opened. */
interface HomeAssistantDef extends AttachedDef {
  base?: unknown
}

/** The node `keyholder-home-assistant`: announces a panel to Home Assistant by MQTT, and carries out its commands. */
export default function register(RED: NodeAPI): void {
  function HomeAssistantNode(this: Node, def: HomeAssistantDef): void {
    RED.nodes.createNode(this, def)
    watch(RED, this, def)
    bindToPanel(RED, this, def, () => import('./behavior.ts'), brokerInput)
  }

  RED.nodes.registerType('keyholder-home-assistant', HomeAssistantNode)
}

/** Looks for panels that nobody serves, also while the own panel cannot be opened. */
function watch(RED: NodeAPI, node: Node, def: HomeAssistantDef): void {
  const life = new AbortController()
  const load = () => import('./unserved.ts')
  const hear = new Lazy(async () => {
    refuseUnsetVariables({ base: def.base })
    return (await load()).watchUnserved(RED, node, def, life.signal)
  })
  // The binding reports a wrong setting.
  const withHear = (work: (hear: (message: FlowMessage) => void) => void, report = (_error: Error) => {}) =>
    guard(node, async () => work(await hear.get()), report)
  withHear(() => {})
  node.on('input', (message) => {
    if ((message as FlowMessage).rehearsal === true) return
    // Only the removal of a panel is a request of its own.
    const report = (error: Error) => {
      if ((message as FlowMessage).topic === 'remove') node.error(error, message)
    }
    withHear((note) => note(message as FlowMessage), report)
  })
  node.on('close', (isRemoved: boolean, done: () => void) => {
    life.abort()
    guard(
      node,
      async () => {
        if (isRemoved) (await load()).forgetHeard(node)
        done()
      },
      () => done(),
    )
  })
}
