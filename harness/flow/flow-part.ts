import type { Simulator } from '../../src/simulator/simulator.ts'

/**
 * What is set up, as far as it differs from a panel that is polled every 0.4 seconds: often enough not to be waited for
 * long, and seldom enough that its data are not old when a busy machine stands still for a second.
 */
export interface FlowPartOptions {
  /** Fields of the account. */
  account?: object
  /** Fields of the panel; the first panel of the simulator by default. */
  panel?: object
  /** Instead of the simulator's own. */
  credentials?: { email?: string; password?: string; userCode?: string }
  /** The flow nodes by name, each with its type; names are unique in a flow. */
  nodes: Record<string, { type: string; [field: string]: unknown }>
}

/** A piece of a flow file: an account, a panel of it, and nodes that use the panel. */
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

/** A piece of a flow, with ids of its own so that nothing outlasts from another test. */
export function createPart(simulator: Simulator, setup: FlowPartOptions): FlowPart {
  parts += 1
  const account = `account.${parts}`
  const panel = `panel.${parts}`
  const ids = new Map(Object.keys(setup.nodes).map((name) => [name, `${name}.${parts}`]))
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
          { id, panel, ...place, wires: [[`out ${id}`]], ...fields },
          { id: `out ${id}`, type: 'recorder', ...place, wires: [] },
        ]
      }),
    ],
  }
}

/** The part with these nodes taken out of it. */
export function withoutNodes(part: FlowPart, ...names: string[]): FlowPart {
  const gone = names.map((name) => part.ids.get(name))
  return { ...part, nodes: part.nodes.filter(({ id }) => !gone.includes(id)) }
}

/** The whole flow file: the parts on one tab, where a Catch and a Complete node hear all of them. */
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

function defaultCredentials({ email, password, userCode }: Simulator) {
  return { email, password, userCode }
}
