import type { NodeAPI } from 'node-red'
import account from './account/account.ts'
import cluster from './cluster/cluster.ts'
import command from './command/command.ts'
import conditions from './conditions/conditions.ts'
import events from './events/events.ts'
import health from './health/health.ts'
import homeAssistant from './home-assistant/home-assistant.ts'
import incident from './incident/incident.ts'
import panel from './panel/panel.ts'
import query from './query/query.ts'
import readings from './readings/readings.ts'
import state from './state/state.ts'

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
