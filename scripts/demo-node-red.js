/**
 * Starts Node-RED inside this process, behind a server that listens already.
 *
 * Imported only when it is called: before, it may not be installed.
 */
export async function startNodeRed({ server, letIn }, userDir) {
  const { default: RED } = await import('node-red')
  RED.init(server, settings(userDir, server.address().port))
  await RED.start()
  letIn((request, response) => RED.httpAdmin(request, response, () => RED.httpNode(request, response)))
  return RED
}

function settings(userDir, port) {
  return {
    userDir,
    flowFile: 'flows.json',
    flowFilePretty: true,
    uiHost: '127.0.0.1',
    uiPort: port,
    httpAdminRoot: '/',
    httpNodeRoot: '/',
    // Warnings and errors only: what else it prints would bury where to look.
    logging: { console: { level: 'warn', metrics: false, audit: false } },
    telemetry: { enabled: false, updateNotification: false },
    editorTheme: { tours: false },
  }
}
