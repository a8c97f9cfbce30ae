import type { Node, NodeAPI, NodeDef } from 'node-red'
import { sourceOf } from '../src/messages/source.ts'
import type { Command } from '../src/panel/commands/command.ts'
import { unknownOutcome } from '../src/panel/commands/failure.ts'
import { KeyholderError } from '../src/service/error.ts'
import { attach, laidOver } from './shared/attach.ts'
import { guard } from './shared/guard.ts'

interface CommandDef extends NodeDef {
  panel?: string
  action?: unknown
  partition?: unknown
  state?: unknown
  options?: unknown
  zone?: unknown
  enabled?: unknown
}

/** Milliseconds for which the light shows how a command ended: soon after, the panel may be in another state. */
const shownFor = 60_000

/** The node `keyholder-command`: what comes in is done, or fails with the reason. */
export default function register(RED: NodeAPI): void {
  function CommandNode(this: Node, def: CommandDef): void {
    RED.nodes.createNode(this, def)
    const { action, partition, state, options, zone, enabled } = def
    let cancelFading = () => {}
    let running = 0

    attach(RED, this, def.panel, {
      listen: (_panel, light) => {
        light.idle()
        return () => cancelFading()
      },
      answer: async (panel, incoming, send, signal, light) => {
        const { commandMessage, commandOf } = await import('../src/messages/command.ts')
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
          if (signal.aborted && thrown instanceof Error)
            this[wasSent(thrown) ? 'warn' : 'log'](thrown.message)
          throw thrown
        } finally {
          running -= 1
          const fade = () => guard(this, () => light.idle())
          if (running === 0 && !signal.aborted) cancelFading = panel.account.clock.after(shownFor, fade)
        }
      },
    })
  }

  RED.nodes.registerType('keyholder-command', CommandNode)
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
