import type { FlowPart } from '../../flow/flow-part.ts'
import type { Deed } from '../life.ts'
import { homeAssistantNode } from './watched-nodes.ts'

type DeedOf<What extends Deed['what']> = Extract<Deed, { what: What }>

/** Returns a part of a flow in which one node has other fields. */
function withFields(part: FlowPart, id: string | undefined, fields: object): FlowPart {
  return { ...part, nodes: part.nodes.map((node) => (node.id === id ? { ...node, ...fields } : node)) }
}

/** Returns a part of a flow in which one node has a new name, or nothing has changed. */
export function renamed(part: FlowPart, change: DeedOf<'deploy'>['change'], name: string): FlowPart {
  const { ids, panel, account } = part
  return withFields(part, new Map([...ids, ['panel', panel], ['account', account]]).get(change), { name })
}

/** Returns a part of a flow whose Home Assistant node does not work. */
export function turnedOff(part: FlowPart, how: DeedOf<'node off'>['how']): FlowPart {
  const { panel, ids, credentials } = part
  if (how === 'disabled') return withFields(part, ids.get(homeAssistantNode), { d: true })
  if (how === 'no serial') return withFields(part, panel, { serial: '' })
  // Node-RED starts only nodes anew whose other fields have changed.
  return { ...withFields(part, panel, { info: how }), credentials: { ...credentials, [panel]: {} } }
}
