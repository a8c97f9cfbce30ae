const error = 20
const warning = 30

let tellConsole
/** The address of the first demo panel's console; never told where the flows have no demo panel. */
export const firstConsole = new Promise((resolve) => {
  tellConsole = resolve
})

/**
 * Node-RED's log as far as it concerns whoever tries the demo: what nodes warn of, and errors.
 *
 * Node-RED's own warnings are about settings that a demo can do without, and would bury where to look. What is
 * merely said is listened to for one thing alone, where the demo panel's console is.
 */
export const terminalLog = { level: 'info', handler: () => printLine }

function printLine({ level, type, name, id, msg }) {
  const text = msg?.message ?? msg
  const [, address] = /^Demo panel console: (\S+)$/.exec(text) || []
  if (address) tellConsole(address)
  const isOfNode = id !== undefined
  if (level > (isOfNode ? warning : error)) return
  console.log(`[${level > error ? 'warning' : 'error'}] ${isOfNode ? `${name || type}: ` : ''}${text}`)
}
