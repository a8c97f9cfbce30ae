import assert from 'node:assert/strict'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { createPart, type FlowPart } from './flow-part.ts'

/** The differences between the flows of tests: fields of the chain test and of the panel, and the address of its watcher. */
export interface ChainPartOptions {
  fields?: object
  panel?: object
  watcherUrl?: string
  /** Further nodes, by name. */
  nodes?: Record<string, { type: string; [field: string]: unknown }>
}

/** Polls that are seldom enough for tests in which minutes pass. */
const seldom = { stateEvery: 20, eventsEvery: 60, devicesEvery: 60 }

/** Returns a part with a chain test `chain`, whose recorder hears all of its outputs, and the node `conditions`. */
export function chainPart(
  simulator: Simulator,
  { fields = {}, panel = seldom, watcherUrl = '', nodes = {} }: ChainPartOptions = {},
): FlowPart {
  const part = createPart(simulator, {
    panel,
    nodes: {
      chain: { type: 'keyholder-chain-test', answerMinutes: 1, ...fields },
      conditions: { type: 'keyholder-conditions', remindAfter: '' },
      ...nodes,
    },
  })
  for (const one of part.nodes) if (one.type === 'keyholder-health') one.account = part.account
  const id = part.ids.get('chain') ?? assert.fail()
  const node = part.nodes.find((one) => one.id === id) ?? assert.fail()
  const out = part.nodes.find((one) => one.id === `out ${id}`) ?? assert.fail()
  out.name = 'phone'
  part.nodes.push({ ...out, id: `sms ${id}`, name: 'SMS' })
  node.wires = [[out.id], [out.id, `sms ${id}`], [out.id]]
  part.credentials[id] = { watcherUrl }
  return part
}
