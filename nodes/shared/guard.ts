import type { Node } from 'node-red'
import { asKeyholderError } from '../../src/service/error.ts'

/**
 * Runs what Node-RED, a timer or a listener calls, so that nothing thrown in it goes further.
 *
 * One rejection that nobody handles ends the whole Node-RED with all its flows: every such entry into our code is
 * nothing but a call of this. What is thrown goes to `failed`, or to the node's log and Catch nodes.
 * @param node or, where there is none as in a route, something that tells the log
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
