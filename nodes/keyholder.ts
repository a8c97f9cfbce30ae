import type { NodeAPI } from 'node-red'
import account from './account.ts'
import cluster from './cluster.ts'
import command from './command.ts'
import conditions from './conditions.ts'
import events from './events.ts'
import health from './health.ts'
import homeAssistant from './home-assistant.ts'
import incident from './incident.ts'
import panel from './panel.ts'
import query from './query.ts'
import readings from './readings.ts'
import state from './state.ts'

/**
 * The nodes in the order in which the palette shows them, config nodes first.
 *
 * Node-RED gets them as one node set: it reads pages, texts and help of each set on their own, and twelve sets take it
 * half as long again as one.
 */
export const registrations = {
  account,
  cluster,
  panel,
  state,
  readings,
  events,
  incident,
  conditions,
  query,
  command,
  health,
  'home-assistant': homeAssistant,
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
