import type { Node, NodeAPI } from 'node-red'
import { every, onAbort, systemClock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import type { AnnouncerMemory } from '../../src/home-assistant/announcer-memory.ts'
import { isServed } from '../../src/home-assistant/bridge-places.ts'
import type { Publication } from '../../src/home-assistant/discovery.ts'
import { noteLeft, UnservedPanels } from '../../src/home-assistant/unserved-panels.ts'
import { textOf } from '../binding/broker-input.ts'
import type { FlowMessage } from '../binding/panel-binding.ts'
import { guard } from '../shared/guard.ts'
import { isOwnKeeper, keeperOf } from './keeper.ts'
import { settings } from './settings.ts'

/** Milliseconds between two looks for panels that nobody serves. */
const lookInterval = 10 * second

/** The panels that the nodes have heard of, by node and base topic: after a redeploy, the broker does not send again what it keeps. */
const heard = new Map<string, { base: string; panels: UnservedPanels }>()

/**
 * Looks below the base topic of a node for panels that this Node-RED has announced and no node serves now, and tells that
 * they are offline. It needs no panel: the own one may be such a panel because it cannot be opened.
 * @param signal ends it
 * @returns a function that gets each message of the broker, and of the user who wants a panel to be removed
 * @throws KeyholderError BAD_SETTING if the base topic is none
 */
export function watchUnserved(
  RED: NodeAPI,
  node: Node,
  def: object,
  signal: AbortSignal,
): (message: FlowMessage) => void {
  const base = settings.fields.base.read({ ...def }, 'base')
  keeperOf(RED, node)
  const before = heard.get(node.id)
  const panels =
    before?.base === base ? before.panels : new UnservedPanels(base, (keeper) => isOwnKeeper(RED, keeper))
  heard.set(node.id, { base, panels })
  const publish = (publications: readonly Publication[]) => {
    if (publications.length === 0) return
    noteSent(publications)
    node.send([publications.map((one) => ({ ...one, qos: 1, retain: true }))])
  }
  const look = () => {
    for (const [id, published] of memories)
      if (RED.nodes.getNode(id) && !isServed(published)) notePublished(node.id, published)
    publish(panels.look())
  }
  const stop = every(systemClock, lookInterval, () => guard(node, look))
  onAbort(signal, stop)
  return ({ topic, payload }) => {
    if (topic === 'remove') publish(panels.removal(textOf(payload).trim()))
    else if (typeof topic === 'string') panels.note(topic, textOf(payload))
  }
}

/** Forgets what a node has heard, when it is deleted or disabled. */
export function forgetHeard(node: Node): void {
  heard.delete(node.id)
}

/** The publications of a node for a panel below a base topic. */
interface Published {
  base: string
  serial: string
  memory: AnnouncerMemory
}

/** Publications of the nodes, kept over a redeploy, by the ids of the nodes. */
export const memories = new Map<string, Published>()

/** Forgets what a node has published, because it ends or has another panel. What it has announced can still be removed. */
export function forgetMemory(nodeId: string): void {
  const published = memories.get(nodeId)
  if (published === undefined) return
  const { base, serial, memory } = published
  notePublished(nodeId, published)
  memories.delete(nodeId)
  if (memory.manifest) noteLeft(base, serial, JSON.stringify(memory.manifest))
}

/**
 * Notes what was published for panels without a node, so that a node which serves one of them again publishes the contrary.
 */
function noteSent(publications: readonly Publication[]): void {
  for (const { memory } of memories.values())
    for (const { topic, payload } of publications) if (memory.sent.has(topic)) memory.sent.set(topic, payload)
}

/** Tells a node that looks for panels without a node what was published for a panel below its base topic. */
function notePublished(nodeId: string, { base, serial, memory }: Published): void {
  const own = heard.get(nodeId)
  if (own?.base === base) own.panels.notePublished(serial, memory.sent)
}
