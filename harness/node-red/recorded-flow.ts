/** A node in a flow file. */
export interface FlowNode {
  id: string
  type: string
  z?: string
  wires?: string[][]
  [field: string]: unknown
}

/** The type of the nodes that post. */
type PosterType = 'function' | 'http request'

/** The name of the function with which function nodes post, in the global context. */
const postFunction = 'postToRecorder'

/**
 * JavaScript for settings.js that gives function nodes a function which posts JSON. With the nodes that Node-RED has for that,
 * which import got, a start takes a quarter longer.
 */
export const recorderCode = `
{
  const http = require('node:http')
  const agent = new http.Agent({ keepAlive: true })
  const options = { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } }
  // The recorder may be closed before Node-RED.
  const post = (url, payload) =>
    void http.request(url, options, (response) => response.resume()).on('error', () => {}).end(JSON.stringify(payload))
  module.exports.functionGlobalContext = { ${postFunction}: post }
}
`

/**
 * Returns the flows with nodes that post every message of our nodes, every caught error and every status to a
 * `MessageServer`.
 *
 * The sender of a message is the id of its node, of an error `<tab id> catch`, of a status `<tab id> status`.
 * @param posterType `http request` for a Node-RED whose settings.js lacks `recorderCode`
 */
export function withRecorder(
  flows: readonly FlowNode[],
  sinkUrl: string,
  posterType: PosterType = 'function',
): FlowNode[] {
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
      poster(posterType, tab, sinkUrl),
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

function poster(type: PosterType, tab: string, url: string): FlowNode {
  const place = { id: `post ${tab}`, type, z: tab }
  if (type === 'http request')
    return { ...place, method: 'POST', ret: 'txt', paytoqs: 'ignore', url, headers: [], wires: [[]] }
  const func = `global.get('${postFunction}')(${JSON.stringify(url)}, msg.payload)`
  return { ...place, func, outputs: 0, wires: [] }
}
