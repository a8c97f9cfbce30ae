import type { Node, NodeAPI } from 'node-red'
import { type Clock, delay } from '../../src/clock.ts'
import { minute } from '../../src/duration.ts'
import { boundNodes, type FlowMessage } from '../binding/panel-binding.ts'
import { lastingTypes, type Marks, readMarks, removeMarks, writeMarks } from './marked-nodes.ts'

/** Milliseconds after which a panel is asked again that did not say how it is, and a disk that could not be read or written. */
const retryEvery = minute

/** The tellings that are under way, by the id of the panel node. */
const tellings = new Map<string, AbortController>()

/** Ends what is under way for a panel; its file keeps what is still to be told. */
export function stopTelling(panelId: string): void {
  tellings.get(panelId)?.abort()
  tellings.delete(panelId)
}

/**
 * Has each node that has sent a marked message tell its flow how the real panel is, without the mark and as no change, and
 * closes the incidents that the rehearsal has opened. What the panel does not answer is told later. Never rejects.
 * @param path of the file with the marks
 */
export async function tellRealState(
  RED: NodeAPI,
  panelId: string,
  path: string,
  clock: Clock,
): Promise<void> {
  stopTelling(panelId)
  const telling = new AbortController()
  tellings.set(panelId, telling)
  const { signal } = telling
  let marks: Marks | undefined
  while (!signal.aborted) {
    try {
      marks ??= readMarks(path)
      await tellAll(RED, marks, clock, signal)
      if (signal.aborted) return
      if (Object.keys(marks).length === 0) {
        removeMarks(path)
        tellings.delete(panelId)
        return
      }
      writeMarks(path, marks)
    } catch {
      // The disk may work again.
    }
    await delay(clock, retryEvery, signal).catch(() => {})
  }
}

/** Has each marked node tell how the panel is, and takes from the marks what is told. */
async function tellAll(RED: NodeAPI, marks: Marks, clock: Clock, signal: AbortSignal): Promise<void> {
  for (const [id, incidents] of Object.entries(marks)) {
    const node = RED.nodes.getNode(id)
    if (incidents.length > 0) {
      node?.send([incidents.map((message) => closed(message, clock.wall()))])
      marks[id] = []
    }
    const isTold = await tell(node, signal)
    if (signal.aborted) return
    if (isTold) delete marks[id]
  }
}

/** Has a node tell what it knows; returns false if the panel does not answer. */
async function tell(node: Node | null, signal: AbortSignal): Promise<boolean> {
  const bound = node === null || !lastingTypes.includes(node.type) ? undefined : boundNodes.get(node)
  if (node === null || bound === undefined) return true
  try {
    await bound.ask((messages) => {
      if (!signal.aborted) node.send([messages.map(unchanged)])
    })
    return true
  } catch {
    return false
  }
}

/** Returns an answer as news of a value that has not changed, so that no flow takes it for a change. */
function unchanged({ parts, state, reading, ...message }: FlowMessage): FlowMessage {
  const same = (told: unknown) => ({ ...(told as object), previous: (told as { value: unknown }).value })
  return {
    ...message,
    ...(state !== undefined && { state: same(state) }),
    ...(reading !== undefined && { reading: same(reading) }),
  }
}

function closed(message: FlowMessage, now: number): FlowMessage {
  return { ...message, payload: { ...(message.payload as object), until: new Date(now).toISOString() } }
}
