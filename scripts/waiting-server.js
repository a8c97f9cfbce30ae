import { createServer } from 'node:http'
import { UserError } from './command.js'

const host = '127.0.0.1'

/**
 * Listens on the port first, so that a used port is reported at once and not after a long installation.
 *
 * Until `setHandler` is called, browsers get a page that reloads itself.
 * @param {number} port 0 for any free port
 */
export async function openWaitingServer(port) {
  let answer = askToWait
  const server = createServer((request, response) => answer(request, response))
  await new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new UserError(unableToListen(error, port))))
    server.listen(port, host, resolve)
  })
  return {
    server,
    url: `http://${host}:${server.address().port}/`,
    /** Sets the handler for all further requests. */
    setHandler(handler) {
      answer = handler
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Returns the port to listen on: `PORT`, or the default of Node-RED. */
export function chosenPort(text = '1880') {
  if (/^\d+$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new UserError(`PORT must be a whole number from 0 to 65535, not "${text}".`)
}

function askToWait(_request, response) {
  response.writeHead(503, { 'Content-Type': 'text/html; charset=utf-8', Refresh: '2', 'Retry-After': '2' })
  response.end('<!doctype html><title>Keyholder</title><p>The demo is starting ...</p>\n')
}

function unableToListen({ code }, port) {
  const other = port < 65535 ? port + 1 : 1880
  const remedy = process.platform === 'win32' ? `set PORT=${other}&& npm start` : `PORT=${other} npm start`
  if (code === 'EADDRINUSE') return `Port ${port} is already in use; choose another one: ${remedy}`
  return `Port ${port} cannot be used (${code}); choose another one: ${remedy}`
}
