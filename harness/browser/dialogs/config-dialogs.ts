import type { Editor } from '../editor.ts'
import type { Dialog } from './dialog.ts'

/** The fields that lead from a flow node to a config node. */
const routes: Readonly<Record<string, readonly string[]>> = {
  panel: ['panel'],
  account: ['account'],
  cluster: ['account', 'cluster'],
}

/** Tells if a type is that of a config node. */
export function isConfigType(type: string): boolean {
  return type in routes
}

/**
 * Opens the dialog of a type: that of the flow node, or that of the config node which the flow node uses, itself or
 * through another one.
 * @param id of the flow node
 */
export async function openDialog(editor: Editor, type: string, id: string): Promise<Dialog> {
  const fields = routes[type]
  return fields === undefined ? editor.open(id) : editor.openConfig(id, fields)
}

/** Closes a dialog and all those below it. */
export async function closeDialog(dialog: Dialog, how: 'save' | 'cancel'): Promise<void> {
  for (let open: Dialog | undefined = dialog; open !== undefined; ) open = await open[how]()
}
