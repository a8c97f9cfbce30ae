import { defaultsOf } from '../fixtures/node-fields.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'

/** The id of the Home Assistant node of `homeAssistantFlow`. */
export const homeAssistantId = 'ha'

/**
 * Returns the nodes that connect a Home Assistant node with a broker, as the example does.
 * @param fields of the Home Assistant node
 */
export function homeAssistantFlow(port: number, fields: object = {}): FlowNode[] {
  const broker = 'broker'
  // Node-RED takes a node without a place for a config node, and fails when a deploy changes its wires.
  const place = { x: 0, y: 0 }
  const bridge = (what: string, payload: string) => ({
    [`${what}Topic`]: 'keyholder/bridge',
    [`${what}Payload`]: payload,
    [`${what}Qos`]: '0',
    [`${what}Retain`]: 'true',
    [`${what}Msg`]: {},
  })
  const input = (id: string, topic: string) => {
    const options = { qos: '1', datatype: 'utf8', nl: false, rap: false, rh: 0, inputs: 0 }
    return { id, type: 'mqtt in', topic, broker, ...options, ...place, wires: [[homeAssistantId]] }
  }
  const type = 'keyholder-home-assistant'
  return [
    {
      id: broker,
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: `${port}`,
      clientid: '',
      autoConnect: true,
      usetls: false,
      protocolVersion: '4',
      keepalive: '60',
      cleansession: true,
      ...bridge('birth', 'online'),
      ...bridge('close', 'offline'),
      ...bridge('will', 'offline'),
    },
    input('status in', 'homeassistant/status'),
    input('commands in', 'keyholder/#'),
    {
      id: homeAssistantId,
      type,
      ...defaultsOf(type),
      code: 'none',
      panel: 'panel',
      ...place,
      ...fields,
      wires: [['out']],
    },
    { id: 'out', type: 'mqtt out', topic: '', qos: '', retain: '', broker, ...place, wires: [] },
  ]
}
