const error = 20
const warning = 30

/**
 * Node-RED's log as far as it concerns whoever tries the demo: what nodes warn of, and errors.
 *
 * Node-RED's own warnings are about settings that a demo can do without, and would bury where to look.
 */
export const terminalLog = { level: 'warn', handler: () => printLine }

function printLine({ level, type, name, id, msg }) {
  const isOfNode = id !== undefined
  if (level > (isOfNode ? warning : error)) return
  const text = msg?.message ?? msg
  console.log(`[${level > error ? 'warning' : 'error'}] ${isOfNode ? `${name || type}: ` : ''}${text}`)
}
