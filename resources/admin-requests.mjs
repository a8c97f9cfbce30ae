import { readPanelForm } from './unsaved-form.mjs'

/**
 * Posts the unsaved values of a form to the admin route of a config node, deployed or not.
 * @param to.kind `account`, `cluster`, `panel` or `demo`
 * @param to.id of the node
 * @param to.route `check`, `choices`, `known`, `diagnostics`, `trace`, `rehearsal` or `open`
 * @param options additional options of the request
 * @returns the request
 */
export function postForm({ kind, id, route }, form, options = {}) {
  return $.ajax({
    url: `keyholder/${kind}/${encodeURIComponent(id)}/${route}`,
    method: 'POST',
    contentType: 'application/json',
    data: JSON.stringify(form),
    ...options,
  })
}

/** The choices that were requested, by kind and panel, for as long as the editor is open. */
const learned = new Map()

/** Returns the key of a kind of choices: the values that tell one panel from another. */
function keyOf(of, { id, serial, account: { source, url } }) {
  return JSON.stringify([of, id, serial, source, url])
}

/**
 * Requests the choices for a panel from Node-RED, with the values in the editor, deployed or not.
 * @param id of the panel node
 * @param of the kind of choices
 * @returns the request, or nothing if no panel is selected
 */
export function requestChoices(id, of) {
  const form = readPanelForm(id)
  if (!form) return undefined
  const to = { kind: 'panel', id: form.id, route: 'choices' }
  const request = postForm(to, { ...form, of, language: RED.i18n.lang() })
  request.done((answer) => {
    if (!answer.failure) learned.set(keyOf(of, form), answer)
  })
  return request
}

/**
 * Returns the choices for a panel as far as they are known: from a list that was opened in this editor, else from
 * the deployed panel, which does not query the service for it.
 * @returns a promise of the choices; empty if nothing is known
 */
export async function recallChoices(id, of) {
  const form = readPanelForm(id)
  if (!form) return {}
  const known = learned.get(keyOf(of, form))
  if (known) return known
  // The deployed panel may be another one than that in the editor.
  const isDeployed = ![form.id, form.account.id].some((node) => RED.nodes.node(node).changed)
  if (!isDeployed) return {}
  const to = { kind: 'panel', id: form.id, route: 'known' }
  return postForm(to, { of, language: RED.i18n.lang() }).catch(() => ({}))
}
