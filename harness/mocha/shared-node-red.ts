import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SharedNodeRed, sharedVariable } from '../node-red/shared-node-red.ts'

let server: Server | undefined
let started: Promise<SharedNodeRed> | undefined

/**
 * Called by mocha before the tests, once for all its processes. A Node-RED is started when a test file asks the address
 * in the environment for it, so a run without such a file starts none.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const answering = createServer((_, response) => {
    started ??= SharedNodeRed.start()
    started.then(
      ({ url }) => response.end(url),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  server = answering
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve))
  process.env[sharedVariable] = `http://127.0.0.1:${(answering.address() as AddressInfo).port}/`
}

/** Called by mocha after the tests. */
export async function mochaGlobalTeardown(): Promise<void> {
  delete process.env[sharedVariable]
  server?.close()
  server?.closeAllConnections()
  const nodeRed = await started?.catch(() => undefined)
  await nodeRed?.close()
}
