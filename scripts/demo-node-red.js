import { join } from 'node:path'
import { terminalLog } from './terminal-log.js'

/**
 * Starts Node-RED inside this process, behind a server that is already listening.
 *
 * Imported only when it is called, because it may not be installed before.
 */
export async function startNodeRed({ server, setHandler }, userDir) {
  const { default: RED } = await import('node-red')
  RED.init(server, settings(userDir, server.address().port))
  const loaded = flowsLoaded(RED.events)
  await RED.start()
  await loaded
  for (const { id, err } of RED.nodes.getNodeList((set) => set.err))
    console.log(`${id} does not load: ${err}`)
  setHandler((request, response) => RED.httpAdmin(request, response, () => RED.httpNode(request, response)))
  return RED
}

/** Node-RED reports its start before its flows are loaded; an editor opened in between would show none. */
function flowsLoaded(events) {
  return new Promise((resolve) => {
    events.once('flows:started', resolve)
    // Flows that cannot start, e.g. because a node type is missing, are loaded all the same.
    events.on('runtime-event', ({ id }) => id === 'runtime-state' && resolve())
  })
}

function settings(userDir, port) {
  return {
    userDir,
    flowFile: join(userDir, 'flows.json'),
    flowFilePretty: true,
    uiHost: '127.0.0.1',
    uiPort: port,
    httpAdminRoot: '/',
    httpNodeRoot: '/',
    logging: { terminal: terminalLog },
    telemetry: { enabled: false, updateNotification: false },
    editorTheme: { tours: false },
  }
}
