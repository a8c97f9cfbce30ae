import { readPanelForm } from './unsaved-form.mjs'

/**
 * Posts the unsaved values of a form to the admin route of a config node, deployed or not.
 * @param to.kind `account`, `panel` or `demo`
 * @param to.id of the node
 * @param to.route `check`, `choices`, `diagnostics` or `open`
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
  return postForm(to, { ...form, of, language: RED.i18n.lang() })
}
