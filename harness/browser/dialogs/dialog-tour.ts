import { defaultsOf } from '../../fixtures/node-fields.ts'
import { flowNodeNames, nodeNames } from '../../fixtures/node-names.ts'
import type { FlowNode } from '../../node-red/recorded-flow.ts'
import type { Editor } from '../editor.ts'
import { closeDialog, isConfigType, openDialog } from './config-dialogs.ts'
import { accountNode, clusterNode, panelNode } from './config-nodes.ts'
import type { Dialog, Values } from './dialog.ts'

/** The values that show all fields of a dialog, where its defaults hide some. */
const shownBy: Record<string, Values> = {
  readings: { emit: 'change' },
  query: { operation: 'event_profiles' },
  command: { action: 'set_state' },
  bypass: { action: 'bypass' },
  account: { api: 'service' },
  cluster: { address: '10.0.0.1:26379, 10.0.0.2:26379' },
}

/** Every type with a dialog, without their common prefix, and the bypass command with its own fields. */
export const dialogTypes: readonly string[] = [...nodeNames, 'bypass']

const service = {
  source: 'service',
  url: 'https://alarm.example.com',
  credentials: { email: 'me', password: 'word' },
}

/** A flow with one valid node of every type, and a demo with a panel. */
export const tourFlows: readonly FlowNode[] = [
  { id: 'tab', type: 'tab', label: 'Every dialog' },
  clusterNode('cluster', { name: 'Both' }),
  accountNode('account', { name: 'Ours', ...service, cluster: 'cluster' }),
  panelNode('panel', { name: 'House', serial: 'A1', credentials: { userCode: '0123' } }),
  accountNode('demo account', { name: 'Demo' }),
  panelNode('demo panel', { name: 'Demo panel', account: 'demo account' }),
  ...[...flowNodeNames, 'bypass'].map((id, row) => {
    const type = `keyholder-${id === 'bypass' ? 'command' : id}`
    const place = { z: 'tab', x: 200, y: 60 + 60 * row, wires: [[]] }
    const account = id === 'health' ? { account: 'account' } : {}
    return { id, type, ...place, ...defaultsOf(type), panel: 'panel', ...account }
  }),
]

/** Opens the dialog of a type in an editor with `tourFlows`, shows all its fields, calls `look`, and closes it. */
export async function visit(
  editor: Editor,
  type: string,
  look: (dialog: Dialog) => Promise<void>,
): Promise<void> {
  const dialog = await openDialog(editor, type, isConfigType(type) ? 'health' : type)
  await dialog.fill(shownBy[type] ?? {})
  await dialog.unfold()
  await look(dialog)
  await closeDialog(dialog, 'cancel')
}
