import type { Node, NodeAPI } from 'node-red'
import { commandMessage, parseCommand } from '../src/messages/command-message.ts'
import { type Command, isCommon, unknownOutcome } from '../src/panel/commands/command.ts'
import { KeyholderError } from '../src/service/error.ts'
import { guard } from './shared/guard.ts'
import { type AttachedDef, type Behavior, mergeInto } from './shared/panel-binding.ts'

/** The settings of a command node, as stored in a flow file. */
export interface CommandDef extends AttachedDef {
  action?: unknown
  partition?: unknown
  state?: unknown
  options?: unknown
  zone?: unknown
  enabled?: unknown
}

/**
 * Milliseconds for which the status shows the result of a command; after that the panel may have another
 * state.
 */
const shownFor = 60_000

/**
 * Returns the behavior of a command node: it executes the command in each incoming message, or fails with the
 * reason.
 */
export function behavior(RED: NodeAPI, node: Node, def: CommandDef): Behavior {
  const { action, partition, state, options, zone, enabled } = def
  let cancelFading = () => {}
  let running = 0

  return {
    subscribe: (_panel, status) => {
      status.showIdle()
      return () => cancelFading()
    },
    onInput: async (panel, incoming, send, signal, status) => {
      cancelFading()
      running += 1
      try {
        panel.commands.refuseUnlessAllowed()
        const command = parseCommand({ action, partition, state, options, zone, enabled }, incoming.payload)
        const { word, state: named } = wordOf(command)
        status.showRunning(RED._(`command.status.running.${word}`, { state: named }))
        const snapshot = await panel.commands.execute(command, signal)
        send(mergeInto(RED, incoming, [commandMessage(panel.sourceOf(snapshot), command, snapshot.view)]))
        status.showCondition(
          panel,
          { state: 'fine' },
          '',
          RED._(`command.status.done.${word}`, { state: named }),
        )
      } catch (thrown) {
        // The node is closed, so no Catch node gets this error; log it.
        if (signal.aborted && thrown instanceof Error) node[wasSent(thrown) ? 'warn' : 'log'](thrown.message)
        throw thrown
      } finally {
        running -= 1
        const fade = () => guard(node, () => status.showIdle())
        if (running === 0 && !signal.aborted) cancelFading = panel.account.clock.after(shownFor, fade)
      }
    },
  }
}

/** Returns the key of the command in the status texts, and the state that the text of another state names. */
function wordOf(command: Command): { word: string; state: string } {
  if (command.action === 'set_state') {
    const { state } = command
    return { word: isCommon(state) ? state : 'state', state }
  }
  return { word: command.action === 'bypass' && !command.enabled ? 'unbypass' : command.action, state: '' }
}

/** Tells if a command that was interrupted by the end of the flow may have been executed. */
function wasSent(thrown: Error): boolean {
  return thrown instanceof KeyholderError && thrown.reason === unknownOutcome
}
