import type { Node, NodeAPI } from 'node-red'
import account from './account/register.ts'
import { type AttachedDef, type BehaviorModule, bindToPanel } from './binding/panel-binding.ts'
import chainTest from './chain-test/register.ts'
import cluster from './cluster/register.ts'
import health from './health/register.ts'
import homeAssistant from './home-assistant/register.ts'
import panel from './panel/register.ts'
import query from './query/register.ts'

/** Returns the registration of a node that is bound to a panel, and needs nothing else. */
function ofPanel<D extends AttachedDef>(name: string, load: () => Promise<BehaviorModule<D>>) {
  return (RED: NodeAPI) => {
    function PanelBoundNode(this: Node, def: D): void {
      RED.nodes.createNode(this, def)
      bindToPanel(RED, this, def, load)
    }

    RED.nodes.registerType(`keyholder-${name}`, PanelBoundNode)
  }
}

/**
 * The nodes in the order in which the palette shows them: config nodes first, then those that most flows need. What a node does is loaded when the first
 * one of its type is used.
 *
 * Node-RED gets them as one node set: it reads pages, texts and help of each set on their own, and twelve sets take it
 * half as long again as one.
 */
export const registrations = {
  account,
  cluster,
  panel,
  // One message for each partition.
  state: ofPanel('state', () => import('./state/behavior.ts')),
  // Executes the command in each incoming message, or fails with the reason.
  command: ofPanel('command', () => import('./command/behavior.ts')),
  // One message that grows, from the first alarm until the panel says that it is over.
  incident: ofPanel('incident', () => import('./incident/behavior.ts')),
  // The list of what needs attention now, when it changes.
  conditions: ofPanel('conditions', () => import('./conditions/behavior.ts')),
  'chain-test': chainTest,
  // One message for each new event, oldest first.
  events: ofPanel('events', () => import('./events/behavior.ts')),
  // One message for each device and kind of reading.
  readings: ofPanel('readings', () => import('./readings/behavior.ts')),
  'home-assistant': homeAssistant,
  query,
  health,
}

/** Registers all nodes. One that cannot be registered leaves the others in the palette. */
export default function register(RED: NodeAPI): void {
  for (const [name, registerNode] of Object.entries(registrations)) {
    try {
      registerNode(RED)
    } catch (thrown) {
      RED.log.error(`The node keyholder-${name} cannot be used: ${thrown}`)
    }
  }
}
