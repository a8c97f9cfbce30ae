import type { Simulator } from '../../src/simulator/simulator.ts'

/**
 * Options of a part of a flow. By default the panel is polled every 0.4 seconds: often enough for short tests, and
 * seldom enough that its data does not get stale when a busy machine pauses for a second.
 */
export interface FlowPartOptions {
  /** Fields of the account node. */
  account?: object
  /** Fields of the panel node; for the first panel of the simulator by default. */
  panel?: object
  /** Credentials that replace those of the simulator. */
  credentials?: { email?: string; password?: string; userCode?: string }
  /** The number in the ids of its nodes, which are unique in a flow; a new one by default. */
  number?: number
  /** The fields of the flow nodes by name; names are unique in a flow. */
  nodes: Record<string, { type: string; [field: string]: unknown }>
}

/** A part of a flow file: an account node, a panel node, and nodes that use the panel. */
export interface FlowPart {
  account: string
  panel: string
  /** Ids of the flow nodes by name. */
  ids: ReadonlyMap<string, string>
  nodes: { id: string; [field: string]: unknown }[]
  credentials: Record<string, object>
}

const tab = 'tab'
let parts = 0

/** Returns a part of a flow with new ids, so that no state of another test is reused. */
export function createPart(simulator: Simulator, setup: FlowPartOptions): FlowPart {
  parts += 1
  const { number = parts } = setup
  const account = `account.${number}`
  const panel = `panel.${number}`
  const ids = new Map(Object.keys(setup.nodes).map((name) => [name, `${name}.${number}`]))
  const { email, password, userCode } = { ...defaultCredentials(simulator), ...setup.credentials }
  return {
    account,
    panel,
    ids,
    credentials: { [account]: { email, password }, [panel]: { userCode } },
    nodes: [
      {
        id: account,
        type: 'keyholder-account',
        source: 'service',
        url: simulator.url,
        requestsPerMinute: 6000,
        ...setup.account,
      },
      {
        id: panel,
        type: 'keyholder-panel',
        name: '',
        account,
        serial: simulator.serials[0],
        stateEvery: 0.4,
        eventsEvery: 0.4,
        devicesEvery: 0.4,
        ...setup.panel,
      },
      ...Object.entries(setup.nodes).flatMap(([name, fields]) => {
        const id = ids.get(name) ?? name
        const place = { z: tab, x: 100, y: 100 }
        return [
          { id, panel, ...place, wires: outputsOf(fields).map(() => [`out ${id}`]), ...fields },
          { id: `out ${id}`, type: 'recorder', ...place, wires: [] },
        ]
      }),
    ],
  }
}

/** Returns the part without the given nodes. */
export function withoutNodes(part: FlowPart, ...names: string[]): FlowPart {
  const gone = names.map((name) => part.ids.get(name))
  return { ...part, nodes: part.nodes.filter(({ id }) => !gone.includes(id)) }
}

/** Returns a flow file: the parts on one tab, with a Catch and a Complete node for all of their nodes. */
export function createFlowFile(parts: readonly FlowPart[]): FlowPart['nodes'] {
  const watched = parts.flatMap(({ ids }) => [...ids.values()])
  const place = { z: tab, x: 300, y: 100 }
  return [
    { id: tab, type: 'tab', label: 'Test' },
    { id: 'catch', type: 'catch', scope: null, ...place, wires: [['caught']] },
    { id: 'caught', type: 'recorder', ...place, wires: [] },
    { id: 'complete', type: 'complete', scope: watched, ...place, wires: [['completed']] },
    { id: 'completed', type: 'recorder', ...place, wires: [] },
    ...parts.flatMap(({ nodes }) => nodes),
  ]
}

/** Returns an entry for each output of a node; one by default. */
function outputsOf({ outputs = 1 }: Record<string, unknown>): unknown[] {
  return Array.from({ length: Number(outputs) })
}

function defaultCredentials({ email, password, userCode }: Simulator) {
  return { email, password, userCode }
}
