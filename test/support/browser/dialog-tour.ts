import type { FlowNode } from '../flow-with-sink.ts'
import { accountNode, panelNode } from './config-nodes.ts'
import type { Dialog, Values } from './dialog.ts'
import type { Editor } from './editor.ts'

/** Every type with a dialog, and an action whose fields are others, and what brings all of its fields into sight. */
const dialogs: Record<string, Values> = {
  state: {},
  readings: { emit: 'change' },
  events: {},
  query: { operation: 'event_profiles' },
  command: { action: 'set_state' },
  bypass: { action: 'bypass' },
  health: {},
  panel: {},
  account: { api: 'service' },
}

/** The types, without what they all begin with. */
export const dialogTypes: readonly string[] = Object.keys(dialogs)

const service = {
  source: 'service',
  url: 'https://alarm.example.com',
  credentials: { email: 'me', password: 'word' },
}
const readings = {
  devices: [],
  kinds: [],
  emit: 'change',
  initial: true,
  temperatureDelta: 0,
  brightnessDelta: 0,
}
const events = { groups: [], typeIds: [], labels: [], partitions: [], first: 'skip', missed: 'deliver' }

const command = { action: 'set_state', partition: -1, state: '', options: [], zone: '', enabled: true }

/** A flow with one node of every type, all in order. */
export const tourFlows: readonly FlowNode[] = [
  { id: 'tab', type: 'tab', label: 'Every dialog' },
  accountNode('account', { name: 'Ours', ...service }),
  panelNode('panel', { name: 'House', serial: 'A1', credentials: { userCode: '0123' } }),
  ...Object.entries({
    state: { partitions: [], emit: 'change', initial: true, vocabulary: 'native' },
    readings,
    events,
    query: { operation: 'panel_info', locale: '', maxAge: 0 },
    command,
    bypass: { type: 'keyholder-command', ...command },
    health: { account: 'account', every: 0 },
  }).map(([id, fields], row) => {
    const place = { z: 'tab', x: 200, y: 60 + 60 * row, wires: [[]] }
    return { id, type: `keyholder-${id}`, ...place, name: '', panel: 'panel', ...fields }
  }),
]

/** Opens the dialog of a type in an editor with `tourFlows`, does something with all its fields in sight, and closes it. */
export async function visit(
  editor: Editor,
  type: string,
  look: (dialog: Dialog) => Promise<void>,
): Promise<void> {
  const isConfig = type === 'account' || type === 'panel'
  const flowNode = await editor.open(isConfig ? 'health' : type)
  const dialog = isConfig ? await flowNode.edit(type) : flowNode
  await dialog.fill(dialogs[type] ?? {})
  await dialog.unfold()
  await look(dialog)
  await (await dialog.cancel())?.cancel()
}
