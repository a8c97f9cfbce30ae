/**
 * Placeholder for a password that only the runtime knows; a missing value means that the editor does not know
 * it.
 */
export const unchanged = '__PWRD__'

/** Returns the values of a config node in the editor, deployed or not, in the format of the admin routes. */
function readForm(id, secrets) {
  const { credentials = {}, ...node } = RED.nodes.node(id)
  const names = Object.keys(node._def.defaults)
  return {
    id,
    ...Object.fromEntries(names.map((name) => [name, node[name]])),
    ...Object.fromEntries(secrets.map((name) => [name, credentials[name] ?? unchanged])),
  }
}

/** Returns the settings of an account node, or nothing if it does not exist. */
export function readAccountForm(id) {
  return RED.nodes.node(id) ? readForm(id, ['email', 'password']) : undefined
}

/**
 * Returns the settings of a panel node with those of its account, or nothing if one of the two does not
 * exist.
 */
export function readPanelForm(id) {
  if (!RED.nodes.node(id)) return undefined
  const panel = readForm(id, ['userCode'])
  const account = readAccountForm(panel.account)
  return account && { ...panel, account }
}
