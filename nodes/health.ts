import type { Node, NodeAPI } from 'node-red'
import { asKeyholderError } from '../src/service/error.ts'
import type { HealthDef } from './behaviours/health.ts'
import { type FlowMessage, laidOver } from './shared/attach.ts'
import { whenFlowsStarted } from './shared/flows-started.ts'
import { guard } from './shared/guard.ts'

/**
 * The node `keyholder-health`: how account and panel are, on change, at an interval and on demand.
 *
 * It looks on and asks nothing. Wherever account and panel stand, and however wrong the settings are, it answers.
 */
export default function register(RED: NodeAPI): void {
  function HealthNode(this: Node, def: HealthDef): void {
    RED.nodes.createNode(this, def)
    const whenStarted = whenFlowsStarted(RED, this)
    const loaded = import('./behaviours/health.ts').then(
      ({ HealthWatch }) => new HealthWatch(RED, this, def, whenStarted),
    )

    guard(this, async () => (await loaded).begin())

    this.on('input', (incoming, send, done) => {
      guard(
        this,
        async () => {
          const message = await (await loaded).answer()
          send(laidOver(RED, incoming as FlowMessage, [message]))
          done()
        },
        (thrown) => done(asKeyholderError(thrown)),
      )
    })

    this.on('close', (done: () => void) => {
      guard(
        this,
        async () => {
          const watch = await loaded
          watch.end()
          done()
        },
        () => done(),
      )
    })
  }

  RED.nodes.registerType('keyholder-health', HealthNode)
}
