import type { NodeAPI } from 'node-red'
import { configNode } from './config-nodes.ts'
import { leaveClusters } from './open-cluster.ts'

/** An event for the editor, of which Node-RED tells the runtime too. */
interface RuntimeEvent {
  id?: string
  payload?: { state?: string; deploy?: boolean }
}

const watched = new WeakSet<object>()

/**
 * Leaves the clusters when Node-RED stops its flows, also before it ends, and after a deploy those whose config node was
 * deleted or disabled. Otherwise a cluster outlives the flows for a while, because a deploy stops them too.
 */
export function leaveWhenStopped(RED: NodeAPI): void {
  const { events } = RED
  if (watched.has(events)) return
  watched.add(events)
  // The nodes are closed by now, and the process ends soon. Only this event tells a stop from a deploy.
  events.on('runtime-event', ({ id, payload }: RuntimeEvent) => {
    const isStop = id === 'runtime-state' && payload?.state === 'stop' && !payload.deploy
    if (isStop) leaveClusters(() => true)
  })
  events.on('flows:started', () =>
    leaveClusters((id) => configNode(RED, 'keyholder-cluster', id) === undefined),
  )
}
