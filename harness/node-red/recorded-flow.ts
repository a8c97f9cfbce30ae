/** A node in a flow file. */
export interface FlowNode {
  id: string
  type: string
  z?: string
  wires?: string[][]
  [field: string]: unknown
}

/**
 * Returns the flows with nodes that post every message of our nodes, every caught error and every status to a
 * `MessageServer`.
 *
 * The sender of a message is the id of its node, of an error `<tab id> catch`, of a status `<tab id> status`.
 */
export function withRecorder(flows: readonly FlowNode[], sinkUrl: string): FlowNode[] {
  // The copies of a subflow's nodes post under the ids of its template.
  const tabs = flows.filter(({ type }) => ['tab', 'subflow'].includes(type)).map(({ id }) => id)
  // The node that posts has a status too, which must not be posted.
  const scope = (tab: string) => flows.filter((node) => isOurs(node) && node.z === tab).map(({ id }) => id)
  return [
    ...flows.flatMap((node) => (isOurs(node) ? [wiredTo(node), wrapper(node.id, node.z)] : [node])),
    ...tabs.flatMap((tab) => [
      { id: `${tab} catch`, type: 'catch', z: tab, scope: scope(tab), wires: [[`wrap ${tab} catch`]] },
      { id: `${tab} status`, type: 'status', z: tab, scope: scope(tab), wires: [[`wrap ${tab} status`]] },
      wrapper(`${tab} catch`, tab),
      wrapper(`${tab} status`, tab),
      poster(tab, sinkUrl),
    ]),
  ]
}

/** Returns true for our nodes on a tab, false for config nodes. */
function isOurs({ type, z }: FlowNode): boolean {
  return type.startsWith('keyholder-') && z !== undefined
}

function wiredTo(node: FlowNode): FlowNode {
  const [first = [], ...others] = node.wires ?? []
  return { ...node, wires: [[...first, `wrap ${node.id}`], ...others] }
}

/** Returns a node that puts the whole message into the payload of a new message, because only a payload is posted. */
function wrapper(from: string, tab = ''): FlowNode {
  const func = `return { payload: { from: ${JSON.stringify(from)}, message: msg } }`
  return { id: `wrap ${from}`, type: 'function', z: tab, func, outputs: 1, wires: [[`post ${tab}`]] }
}

function poster(tab: string, url: string): FlowNode {
  const fields = { method: 'POST', ret: 'txt', paytoqs: 'ignore', url, headers: [] }
  return { id: `post ${tab}`, type: 'http request', z: tab, ...fields, wires: [[]] }
}
