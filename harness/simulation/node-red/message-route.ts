import type { FlowNode, SendEvent } from './flow-node.ts'
import { clonedMessage } from './listening-nodes.ts'
import { logLevels } from './log-line.ts'
import type { Runtime } from './runtime.ts'

/** Sends messages over wires, past the hooks; each arrives in a later step, at the node that its wire led to when it was sent. */
export function sendOnWires(
  events: SendEvent[],
  runtime: Runtime,
  findNode: (id: string) => FlowNode | null | undefined,
): void {
  const { hooks } = runtime
  const trigger = (hook: string, event: SendEvent, goOn: () => void) =>
    hooks.trigger(hook, event, (result) => {
      if (result) event.source.node.error(result)
      else if (result !== false) goOn()
    })
  const route = (event: SendEvent) =>
    trigger('preRoute', event, () => {
      event.destination.node = findNode(event.destination.id)
      if (!event.destination.node) return
      if (event.cloneMessage) event.msg = clonedMessage(event.msg)
      trigger('preDeliver', event, () => {
        runtime.queue(() => deliver(event, runtime))
        trigger('postDeliver', event, () => {})
      })
    })
  hooks.trigger('onSend', events, (result) => {
    if (result) events[0]?.source.node.error(result)
    else if (result !== false) for (const event of events) route(event)
  })
}

function deliver({ destination: { node }, msg }: SendEvent, runtime: Runtime): void {
  try {
    node?.receive(msg)
  } catch (thrown) {
    runtime.log({ level: logLevels.ERROR, msg: thrown })
  }
}
