import type { Node, NodeAPI } from 'node-red'
import { asKeyholderError } from '../../src/service/error.ts'
import type { FlowMessage } from '../binding/panel-binding.ts'
import { guard } from '../shared/guard.ts'
import { whenFlowsStarted } from '../shared/node-lifecycle.ts'
import type { ChosenDef } from './health-source.ts'

/**
 * The node `keyholder-health`: reports the health of account and panel on change, at an interval and on
 * demand.
 *
 * It sends no requests to the service. It works in every phase of account and panel, and with invalid
 * settings too.
 */
export default function register(RED: NodeAPI): void {
  function HealthNode(this: Node, def: ChosenDef): void {
    RED.nodes.createNode(this, def)
    const whenStarted = whenFlowsStarted(RED, this)
    const loaded = import('./behavior.ts').then(
      ({ HealthMonitor }) => new HealthMonitor(RED, this, def, whenStarted),
    )

    guard(this, async () => (await loaded).start())

    this.on('input', (incoming, send, done) => {
      guard(
        this,
        async () => {
          send(await (await loaded).onInput(incoming as FlowMessage))
          done()
        },
        (thrown) => done(asKeyholderError(thrown)),
      )
    })

    this.on('close', (done: () => void) => {
      guard(
        this,
        async () => {
          const monitor = await loaded
          monitor.stop()
          done()
        },
        () => done(),
      )
    })
  }

  RED.nodes.registerType('keyholder-health', HealthNode)
}
