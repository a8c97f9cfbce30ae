import type { Node, NodeAPI } from 'node-red'
import {
  commandMessage,
  fieldsOfNode,
  ignoredField,
  parseCommand,
} from '../../src/messages/command-message.ts'
import { mergeInto } from '../../src/messages/message.ts'
import { type Command, isCommon, unknownOutcome } from '../../src/panel/commands/command.ts'
import type { BypassedZone } from '../../src/panel/commands/command-queue.ts'
import { zonesOfRefusal } from '../../src/panel/commands/not-ready.ts'
import { KeyholderError } from '../../src/service/error.ts'
import type { AttachedDef, Behavior, FlowMessage } from '../binding/panel-binding.ts'
import type { Stored } from '../pages/fields.ts'
import { guard } from '../shared/guard.ts'
import { isFixedValue, typedValues } from '../shared/node-options.ts'
import { errorText, phrase, type StatusText } from '../shared/node-status.ts'
import type { settings as declared } from './settings.ts'

/** The settings of a command node, as stored in a flow file. */
type CommandDef = AttachedDef &
  Stored<typeof declared> & {
    /** Of a flow that an earlier version has saved; it has no effect. */
    [ignoredField]?: unknown
  }

/**
 * Milliseconds for which the status shows the result of a command in color; after that the panel may have another
 * state.
 */
const shownFor = 60_000

/**
 * Returns the behavior of a command node: it executes the command in each incoming message, or fails with the
 * reason.
 */
export function behavior(RED: NodeAPI, node: Node, def: CommandDef): Behavior {
  const { action, partition, state, options, openZones, zone, enabled } = def
  const settings = { action, partition, state, options, openZones, zone, enabled }
  let cancelFading = () => {}
  let running = 0
  let isIgnoranceLogged = false
  /** Logs once that a field of version 0.2.0 has no effect, if these fields ask for it. */
  const logIgnored = (fields: unknown) => {
    const isAsked = `${(fields as Record<string, unknown> | null | undefined)?.[ignoredField]}` === 'true'
    if (isAsked && !isIgnoranceLogged)
      node.log(
        `${ignoredField} has no effect any more: the panel itself ends a bypass with the disarm after the arming.`,
      )
    isIgnoranceLogged ||= isAsked
  }
  logIgnored(def)
  /** The result of the latest command; undefined for the usual text. */
  let last: StatusText | undefined

  const isFixed = ['partition', 'state', 'zone'].every((field) => isFixedValue({ ...def }, field))
  const read = async (incoming: FlowMessage): Promise<Command> => {
    const fields = fieldsOfNode(settings, incoming.payload)
    return parseCommand(
      settings,
      incoming.payload,
      await typedValues(RED, node, { ...def }, fields, incoming),
    )
  }

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
        logIgnored(incoming.payload)
        const showRunning = (command: Command) => {
          const { word, values } = wordOf(command)
          status.showRunning(phrase(`command.status.running.${word}`, { values }))
          return command
        }
        const arrived = isFixed
          ? showRunning(parseCommand(settings, incoming.payload))
          : read(incoming).then(showRunning)
        const snapshot = await panel.commands.execute(arrived, signal, node.id)
        const command = await arrived
        send(mergeInto(RED, incoming, [commandMessage(panel.sourceOf(snapshot), command, snapshot.view)]))
        const at = panel.account.clock.wall()
        const { bypassed, open = [] } = snapshot.view
        const { word, values } = wordOf(command)
        if (bypassed?.length) last = phrase('command.status.without', { detail: namesOf(bypassed), at })
        else if (open.length > 0) last = phrase('command.status.open', { detail: namesOf(open), at })
        else last = phrase(`command.status.done.${word}`, { values, at })
        status.showCondition(panel, { state: 'fine' }, '', { fine: last })
      } catch (thrown) {
        // The node is closed, so no Catch node gets this error; log it.
        if (signal.aborted && thrown instanceof Error) node[wasSent(thrown) ? 'warn' : 'log'](thrown.message)
        throw thrown
      } finally {
        running -= 1
        const fade = () => guard(node, () => status.showIdle(last))
        if (running === 0 && !signal.aborted) cancelFading = panel.account.clock.after(shownFor, fade)
      }
    },
    isDisarm: async (incoming) => {
      const command = await read(incoming)
      return command.action === 'set_state' && command.state === 'DISARM'
    },
    failureText: (panel, error) => {
      const at = panel.account.clock.wall()
      const zones = zonesOfRefusal(error).join(', ')
      last = zones ? phrase('command.status.refused', { detail: zones, at }) : errorText(error, { at })
      return last
    },
  }
}

function namesOf(zones: readonly BypassedZone[]): string {
  return zones.map(({ zone, name }) => name || `${zone}`).join(', ')
}

/** Returns the key of the command in the status texts, and the state that the text of another state names. */
function wordOf(command: Command): { word: string; values: Record<string, string> } {
  if (command.action === 'set_state') {
    const { state } = command
    return { word: isCommon(state) ? state : 'state', values: { state } }
  }
  return { word: command.action === 'bypass' && !command.enabled ? 'unbypass' : command.action, values: {} }
}

/** Tells if a command that was interrupted by the end of the flow may have been executed. */
function wasSent(thrown: Error): boolean {
  return thrown instanceof KeyholderError && thrown.reason === unknownOutcome
}
