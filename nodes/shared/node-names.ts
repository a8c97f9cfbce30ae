import { inFileName } from '../../src/panel/events/cursor/left-copies.ts'
import { oncePerDeploy } from './after-flows-started.ts'

/** Returns the ids of all nodes of the flows, as they are in names of files. */
export const nodeNamesOf = oncePerDeploy((RED) => {
  const names = new Set<string>()
  RED.nodes.eachNode(({ id }) => names.add(inFileName(id)))
  return names
})
