import type { Node } from 'node-red'
import { asKeyholderError } from '../../src/service/error.ts'

/**
 * Runs a callback of Node-RED, of a timer or of a subscription, and catches everything that it throws.
 *
 * An unhandled rejection ends the Node-RED process with all its flows, so every entry point of our code is a
 * call of this function. An error goes to `failed`; the default is the node's log and its Catch nodes.
 * @param node the node, or another object with a log (e.g. for a route)
 */
export function guard(
  node: Pick<Node, 'error'>,
  work: () => void | Promise<void>,
  failed: (error: Error) => void = (error) => node.error(error, {}),
): void {
  const report = (thrown: unknown) => {
    try {
      failed(asKeyholderError(thrown))
    } catch (again) {
      node.error(asKeyholderError(again))
    }
  }
  try {
    Promise.resolve(work()).catch(report)
  } catch (thrown) {
    report(thrown)
  }
}
