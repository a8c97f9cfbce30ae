// `npm start`: installs missing packages, builds, and opens Node-RED with the demo flows.

import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UserError } from './command.js'
import { startNodeRed } from './demo-node-red.js'
import { prepareUserDirectory } from './demo-user-directory.js'
import { build, installWhatIsMissing } from './install.js'
import { requireNode } from './node-version.js'
import { firstConsole } from './terminal-log.js'
import { chosenPort, openWaitingServer } from './waiting-server.js'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => ending.abort())

try {
  await start(process.argv.slice(2), ending.signal)
} catch (error) {
  if (ending.signal.aborted) process.exit(130)
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exit(1)
}

async function start(args, signal) {
  requireNode(process.versions.node)
  const unknown = args.find((arg) => arg !== '--reset')
  if (unknown !== undefined)
    throw new UserError(`"${unknown}" is unknown; there is only: npm start -- --reset`)
  const server = await openWaitingServer(chosenPort(process.env.PORT))
  await installWhatIsMissing(root, signal)
  await build(root, signal)
  const userDir = await prepareUserDirectory(root, { reset: args.includes('--reset') })
  console.log('Starting Node-RED ...')
  const nodeRed = await startNodeRed(server, userDir)
  // The demo panel starts with the first node that uses it: at once, unless the flows were changed.
  const panelConsole = await Promise.race([firstConsole, after(5000)])
  console.log(welcome(server.url, panelConsole))
  if (!panelConsole) void firstConsole.then((address) => console.log(`Demo panel console: ${address}`))
  await aborted(signal)
  console.log('Stopping ...')
  server.close()
  await nodeRed.stop()
  process.exit(0)
}

function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', resolve, { once: true })
  })
}

function welcome(url, panelConsole) {
  const consoleText = panelConsole
    ? `
The panel's console, where you arm, open windows, set off alarms and let the service fail, is beside it:

    ${panelConsole}
`
    : ''
  return `
The demo runs. Open the editor:

    ${url}
${consoleText}
On the tab that opens, three nodes read a simulated alarm panel, used by a simulated household:
    panel state      disarmed, arming, armed away, ALARM ... for each partition
    device readings  temperature, brightness, open doors, weak batteries
    new events       who armed, which zone was opened, what failed

Look at the debug sidebar (bug icon on the right): the first messages come within a few seconds. The household
waits for five minutes after a deploy and after anything you do; then something happens every half minute. The buttons
beside them read at once.

The service runs inside this process: no account, and nothing leaves this machine.
Your changes stay in .node-red; "npm start -- --reset" brings the demo flows back. Ctrl-C ends it.
`
}
