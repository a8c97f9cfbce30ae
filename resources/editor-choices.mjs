import { postForm } from './admin-requests.mjs'
import { panelForm } from './unsaved-form.mjs'

/**
 * Requests the choices for a panel from Node-RED, with the values in the editor, deployed or not.
 * @param id of the panel node
 * @param of the kind of choices
 * @returns the request, or nothing if no panel is selected
 */
export function requestChoices(id, of) {
  const form = panelForm(id)
  if (!form) return undefined
  const to = { kind: 'panel', id: form.id, route: 'choices' }
  return postForm(to, { ...form, of, language: RED.i18n.lang() })
}
