/** What a password field holds whose value only the runtime knows: absent is what the editor was not told. */
const unchanged = '__PWRD__'

/** What the editor knows of a config node, deployed or not, as the admin routes take it. */
function form(id, secrets) {
  const { credentials = {}, ...node } = RED.nodes.node(id)
  const names = Object.keys(node._def.defaults)
  return {
    id,
    ...Object.fromEntries(names.map((name) => [name, node[name]])),
    ...Object.fromEntries(secrets.map((name) => [name, credentials[name] ?? unchanged])),
  }
}

/** The settings of an account node; nothing where there is none with this id. */
export function accountForm(id) {
  return RED.nodes.node(id) ? form(id, ['email', 'password']) : undefined
}

/** The settings of a panel node with those of its account; nothing where one of the two is missing. */
export function panelForm(id) {
  if (!RED.nodes.node(id)) return undefined
  const panel = form(id, ['userCode'])
  const account = accountForm(panel.account)
  return account && { ...panel, account }
}
