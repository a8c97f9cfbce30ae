/**
 * A process with a server that answers every request at once from memory, so that its share in the time of a
 * request is as small as possible. It sends its URL, and ends with its parent process.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { devices } from './sample-responses.ts'

const answers: Record<string, string> = {
  version: JSON.stringify({ rest_versions: ['14.0'] }),
  auth: JSON.stringify({ user_token: 'user' }),
  login: JSON.stringify({ session_token: 'session' }),
  devices: JSON.stringify(devices(64)),
}

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const body = answers[request.url?.split('/').at(-1) ?? ''] ?? '{}'
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('disconnect', () => process.exit())
