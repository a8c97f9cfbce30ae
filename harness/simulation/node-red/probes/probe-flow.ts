import type { FlowPart } from '../../../flow/flow-part.ts'

/** A node or a tab of a flow file. */
export type Definition = FlowPart['nodes'][number]

const at = { x: 100, y: 100 }
/** Returns a probe on the first tab. */
export const probe = (id: string, fields: object = {}): Definition => ({
  id,
  type: 'probe',
  z: 'tab',
  ...at,
  wires: [],
  ...fields,
})

/** A flow file with several tabs, in which something is wired, caught, disabled and broken. */
export const base: readonly Definition[] = [
  { id: 'c3', type: 'probe-config', name: 'third', config: 'c1' },
  { id: 'c1', type: 'probe-config', name: 'first', config: 'c2', keepsUsers: true },
  { id: 'c2', type: 'probe-config', name: '' },
  { id: 'unused', type: 'probe-config', name: 'nobody uses it' },
  probe('a', {
    name: 'A',
    config: 'c1',
    sees: ['b', 'c1', 'd', 'nothing'],
    wires: [['b', 'c'], [], ['out a', 'b']],
  }),
  probe('b', { sees: ['a'], wires: [['out b']], atEnd: 'later' }),
  probe('c', { config: 'c3', wires: [['c end', 'not there']] }),
  probe('c end', { atEnd: 'send' }),
  { id: 'out a', type: 'recorder', z: 'tab', ...at, wires: [] },
  { id: 'out b', type: 'recorder', z: 'tab', ...at, wires: [] },
  { id: 'tab2', type: 'tab', label: 'Second' },
  probe('d', { z: 'tab2', config: 'c1', wires: [['e']], atEnd: 'throw' }),
  probe('e', { z: 'tab2', wires: [['f']], atEnd: 'nothing' }),
  probe('f', { z: 'tab2', wires: [] }),
  probe('heard', { z: 'tab2' }),
  { id: 'status', type: 'status', scope: ['d'], z: 'tab2', ...at, wires: [['heard']] },
  { id: 'catch e', type: 'catch', scope: ['e'], z: 'tab2', ...at, wires: [['heard']] },
  { id: 'uncaught', type: 'catch', scope: null, uncaught: true, z: 'tab2', ...at, wires: [['heard']] },
  { id: 'complete f', type: 'complete', scope: ['f', 'heard'], z: 'tab2', ...at, wires: [['heard']] },
  { id: 'tab3', type: 'tab', label: 'Third', disabled: true },
  probe('g', { z: 'tab3', config: 'c2' }),
  { id: 'tab4', type: 'tab', label: 'Fourth' },
  probe('h', { z: 'tab4' }),
  probe('broken', { z: 'tab4', isBroken: true }),
  probe('disabled', { z: 'tab4', d: true }),
]
/** The credentials of the flow file. */
export const stored = { a: { secret: 'of a' }, c1: { secret: 'of c1' } }

/** Returns a change of the fields of a node. */
export const change = (id: string, fields: object) => (nodes: Definition[]) =>
  nodes.map((node) => (node.id === id ? { ...node, ...fields } : node))

/** Returns a change that deletes nodes. */
export const remove =
  (...ids: string[]) =>
  (nodes: Definition[]) =>
    nodes.filter(({ id }) => !ids.includes(id))

/** Returns a change that adds nodes. */
export const add =
  (...added: Definition[]) =>
  (nodes: Definition[]) => [...nodes, ...added]
