const error = 20
const warning = 30

let tellConsole
/** Resolves with the URL of the first demo panel's console; never if the flows have no demo panel. */
export const firstConsole = new Promise((resolve) => {
  tellConsole = resolve
})

/**
 * Prints the part of Node-RED's log that a user of the demo needs: warnings of nodes, and errors.
 *
 * Node-RED's own warnings are about settings that a demo does not need, and would hide the URL of the editor.
 * Info lines are only searched for the URL of the demo panel's console.
 */
export const terminalLog = { level: 'info', handler: () => printLine }

function printLine({ level, type, name, id, msg }) {
  const text = msg?.message ?? msg
  const [, address] = /^Demo panel console of .*: (\S+)$/.exec(text) || []
  if (address) tellConsole(address)
  const isOfNode = id !== undefined
  if (level > (isOfNode ? warning : error)) return
  console.log(`[${level > error ? 'warning' : 'error'}] ${isOfNode ? `${name || type}: ` : ''}${text}`)
}
