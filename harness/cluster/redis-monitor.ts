import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/**
 * Tells each command that a Redis server of a test gets, with its arguments, and with `lua` or an address as its source.
 * Resolves when the server tells them; returns a function that ends it. The client of the product takes the first commands
 * for answers if they arrive together with that to MONITOR.
 */
export async function monitorRedis(
  { port }: { port: number },
  onCommand: (args: string[], source: string) => void,
): Promise<() => void> {
  const socket = connect(port, '127.0.0.1')
  const lines = createInterface({ input: socket })
  // A server that is killed resets the connection.
  socket.on('error', () => {})
  const started = once(lines, 'line')
  socket.write('MONITOR\r\n')
  await started
  lines.on('line', (line) => {
    const [, source, args] = /^\S+ \[\d+ (\S+)\] "(.*)"$/.exec(line) ?? []
    if (source !== undefined && args !== undefined)
      onCommand(
        args.split('" "').map((arg) => arg.replaceAll('\\"', '"')),
        source,
      )
  })
  return () => socket.destroy()
}
