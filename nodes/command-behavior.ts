import type { Node, NodeAPI } from 'node-red'
import { commandMessage, commandOf } from '../../src/messages/command.ts'
import { sourceOf } from '../../src/messages/source.ts'
import type { Command } from '../../src/panel/commands/command.ts'
import { unknownOutcome } from '../../src/panel/commands/failure.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { type AttachedDef, type Behaviour, laidOver } from '../shared/attach.ts'
import { guard } from '../shared/guard.ts'

/** The settings of a command node, as they stand in a flow file. */
export interface CommandDef extends AttachedDef {
  action?: unknown
  partition?: unknown
  state?: unknown
  options?: unknown
  zone?: unknown
  enabled?: unknown
}

/** Milliseconds for which the light shows how a command ended: soon after, the panel may be in another state. */
const shownFor = 60_000

/** What a command node does: has the panel do what comes in, or fails with the reason. */
export function behaviour(RED: NodeAPI, node: Node, def: CommandDef): Behaviour {
  const { action, partition, state, options, zone, enabled } = def
  let cancelFading = () => {}
  let running = 0

  return {
    listen: (_panel, light) => {
      light.idle()
      return () => cancelFading()
    },
    answer: async (panel, incoming, send, signal, light) => {
      cancelFading()
      running += 1
      try {
        panel.commands.refuseUnlessAllowed()
        const command = commandOf({ action, partition, state, options, zone, enabled }, incoming.payload)
        const word = wordOf(command)
        light.running(RED._(`command.status.running.${word}`))
        const news = await panel.commands.run(command, signal)
        send(laidOver(RED, incoming, [commandMessage(sourceOf(panel, news), command, news.view.tookMs)]))
        light.condition(panel, { state: 'fine' }, '', RED._(`command.status.done.${word}`))
      } catch (thrown) {
        // Nobody hears of it any more but the log.
        if (signal.aborted && thrown instanceof Error) node[wasSent(thrown) ? 'warn' : 'log'](thrown.message)
        throw thrown
      } finally {
        running -= 1
        const fade = () => guard(node, () => light.idle())
        if (running === 0 && !signal.aborted) cancelFading = panel.account.clock.after(shownFor, fade)
      }
    },
  }
}

/** What the light calls a command. */
function wordOf(command: Command): string {
  if (command.action === 'set_state') return command.state
  return command.action === 'bypass' && !command.enabled ? 'unbypass' : command.action
}

/** Whether a command that the end of the flow cut short may have been done all the same. */
function wasSent(thrown: Error): boolean {
  return thrown instanceof KeyholderError && thrown.reason === unknownOutcome
}
