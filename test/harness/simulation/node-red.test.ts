import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FlowPart } from '../../../harness/flow/flow-part.ts'
import { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { base, type Definition, probe, stored } from '../../../harness/simulation/node-red/probe-flow.ts'
import { ProbeNodes } from '../../../harness/simulation/node-red/probe-nodes.ts'
import { SimulatedFlow } from '../../../harness/simulation/node-red/simulated-flow.ts'

type Deploy = (
  kind: 'full' | 'flows' | 'nodes',
  change: (nodes: Definition[]) => Definition[],
  credentials?: object,
) => Promise<void>
interface Scenario {
  title: string
  /** What the trace contains if the scenario shows what it is for. */
  shows: RegExp
  perform: (input: (id: string, message: object) => Promise<void>, deploy: Deploy) => Promise<void>
}

/** Turns of the event loop in which all that follows one step is over. */
const turns = 20

const change = (id: string, fields: object) => (nodes: Definition[]) =>
  nodes.map((node) => (node.id === id ? { ...node, ...fields } : node))
const remove =
  (...ids: string[]) =>
  (nodes: Definition[]) =>
    nodes.filter(({ id }) => !ids.includes(id))
const add =
  (...added: Definition[]) =>
  (nodes: Definition[]) => [...nodes, ...added]

const asks = (title: string, shows: RegExp, ...inputs: [id: string, message: object][]): Scenario => ({
  title,
  shows,
  perform: async (input) => {
    for (const [id, message] of inputs) await input(id, message)
  },
})

const deploys = (title: string, shows: RegExp, ...changes: ReturnType<typeof change>[]): Scenario[] =>
  (['full', 'flows', 'nodes'] as const).map((kind) => ({
    title: `${title} by a deploy of ${kind === 'full' ? 'everything' : `changed ${kind}`}`,
    shows,
    perform: async (input, deploy) => {
      for (const one of changes) {
        await deploy(kind, one)
        await input('a', { payload: 'after it' })
        await input('d', { ask: 'status' })
      }
    },
  }))

const scenarios: readonly Scenario[] = [
  asks(
    'sends over wires, with copies',
    /out a/,
    ['a', { payload: { deep: 1 } }],
    ['a', { ask: 'outputs' }],
    ['a', { ask: 'node.send' }],
  ),
  asks(
    'sends nothing, and no text',
    /log .*"level":20,"id":"a"/,
    ['a', { ask: 'nothing' }],
    ['a', { ask: 'text' }],
    ['h', { ask: 'text' }],
  ),
  asks('sends a message that is changed later', /changed after/, ['a', { ask: 'change' }]),
  asks(
    'tells errors to Catch nodes',
    /heard gets .*failed/,
    ...['fail', 'throw', 'error'].flatMap((ask) =>
      ['a', 'd', 'e', 'h'].map((id) => [id, { ask }] as [string, object]),
    ),
  ),
  asks(
    'tells an error of a message that had one',
    /_error/,
    ['e', { ask: 'fail', error: 'before' }],
    ['e', { ask: 'fail', error: { source: { id: 'e', count: 8 } } }],
    ['e', { ask: 'fail', error: { source: { id: 'e', count: 9 } } }],
  ),
  asks('writes lines to the log', /without a message/, ['a', { ask: 'log' }], ['h', { ask: 'log' }]),
  asks(
    'tells when a node is done, also twice',
    /heard gets .*complete/,
    ['f', {}],
    ['f', { ask: 'reply twice' }],
    ['a', {}],
  ),
  asks(
    'tells statuses to Status nodes',
    /heard gets .*status/,
    ['d', { ask: 'status' }],
    ['a', { ask: 'status' }],
  ),
  asks('lets users report for their config node', /an error of a config node/, ['h', { ask: 'users error' }]),
  asks(
    'keeps contexts',
    /a global 3/,
    ['a', { ask: 'context' }],
    ['d', { ask: 'context' }],
    ['a', { ask: 'context' }],
  ),
  asks('names the tab as an environment variable', /^"?Test|^Test/m, ['a', { ask: 'env' }]),
  asks('adds credentials', /added/, ['a', { ask: 'credentials' }], ['d', { ask: 'credentials' }]),
  asks('tells all nodes of the file', /each .*tab3/, ['a', { ask: 'nodes' }]),
  asks('receives at once', /a goes on/, ['a', { ask: 'receive' }]),
  asks(
    'lets hooks stop a message',
    /halt/,
    ...['preRoute', 'preDeliver', 'onReceive'].map((haltAt) => ['a', { haltAt }] as [string, object]),
  ),
  asks(
    'tells the errors of hooks',
    /fails at/,
    ...['preRoute', 'preDeliver', 'postDeliver', 'onReceive', 'postReceive', 'onComplete'].map(
      (failAt) => ['a', { failAt }] as [string, object],
    ),
  ),
  ...deploys('keeps what is the same', /flows:started/, (nodes) => nodes),
  ...deploys('moves a node', /flows:started/, change('a', { x: 7, y: 8 })),
  ...deploys('starts a renamed node', /start a .*renamed/, change('a', { name: 'renamed' })),
  ...deploys(
    'starts the users of a renamed config node',
    /start c .*[\s\S]*start c /,
    change('c2', { name: 'renamed' }),
  ),
  ...deploys('starts a copied node', /start copy/, add(probe('copy', { config: 'c1', wires: [['b']] }))),
  ...deploys('closes a deleted node', /close b .*[\s\S]*node-status b/, remove('b')),
  ...deploys('closes a deleted config node', /close c1 true/, remove('c1')),
  ...deploys(
    'closes a disabled node, and starts it again',
    /close a true/,
    change('a', { d: true }),
    (nodes) => nodes,
  ),
  ...deploys(
    'closes a disabled config node, and starts it again',
    /close c1 true/,
    change('c1', { d: true }),
    (nodes) => nodes,
  ),
  ...deploys(
    'closes a disabled tab, and starts it again',
    /close f true/,
    change('tab2', { disabled: true }),
    (nodes) => nodes,
  ),
  ...deploys('starts a tab that was disabled', /start g/, change('tab3', { disabled: false })),
  ...deploys(
    'closes the nodes of a deleted tab',
    /close f true/,
    remove('tab2', 'd', 'e', 'f', 'heard', 'status', 'catch e', 'uncaught', 'complete f'),
  ),
  ...deploys('wires a node anew', /rewired":\["a/, change('a', { wires: [['out a']] })),
  ...deploys(
    'starts a tab with another environment',
    /flowChanged":\["tab2/,
    change('tab2', { env: [{ name: 'X', value: '1', type: 'str' }] }),
  ),
  ...deploys('moves a node to another tab', /start a .*tab4/, change('a', { z: 'tab4' })),
  ...deploys(
    'takes credentials from the editor',
    /from the editor/,
    change('a', { credentials: { secret: 'from the editor' } }),
  ),
  ...deploys(
    'adds another tab with a config node of its own',
    /start own/,
    add(
      { id: 'tab5', type: 'tab', label: 'Fifth' },
      { id: 'own', type: 'probe-config', z: 'tab5', name: '' },
      probe('of tab5', { z: 'tab5', config: 'own' }),
    ),
  ),
  {
    title: 'deletes the context of a node that starts anew, and keeps that of its tab',
    shows: /a node 1 .*[\s\S]*a node 1 .*[\s\S]*a flow 2/,
    perform: async (input, deploy) => {
      await input('a', { ask: 'context' })
      await deploy('nodes', change('a', { name: 'renamed' }))
      await input('a', { ask: 'context' })
      await deploy(
        'full',
        remove('tab2', 'd', 'e', 'f', 'heard', 'status', 'catch e', 'uncaught', 'complete f'),
      )
      await input('a', { ask: 'context' })
    },
  },
  {
    title: 'gives a node its new credentials when it starts anew',
    shows: /start a .*other/,
    perform: async (input, deploy) => {
      await input('a', { ask: 'credentials' })
      await deploy('nodes', (nodes) => nodes, { ...stored, a: { secret: 'other' } })
      await input('a', { payload: 1 })
      await deploy('nodes', change('a', { name: 'renamed' }), {
        c1: { secret: 'of c1' },
        a: { secret: 'other' },
      })
    },
  },
]

describe('The simulated Node-RED', () => {
  for (const { title, shows, perform } of scenarios) {
    it(title, async () => {
      const real = await traceOf('real', perform)
      assert.match(real.join('\n'), shows)
      assert.deepEqual(await traceOf('simulated', perform), real)
    })
  }
})

/** Returns all that probes and Node-RED do in a scenario. */
async function traceOf(kind: 'real' | 'simulated', perform: Scenario['perform']): Promise<string[]> {
  const probes = new ProbeNodes()
  const part = partOf([...base], stored)
  const flow = kind === 'real' ? new RunningFlow() : simulate(part, probes)
  if (flow instanceof RunningFlow) await flow.start([part], { types: [probes.register] })
  else await flow.start()
  const settle = async () => {
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
  }
  await settle()
  const step = (...parts: string[]) => probes.trace.push(`---- ${parts.join(' ')}`)
  try {
    await perform(
      async (id, message) => {
        step('input', id, JSON.stringify(message))
        if (flow.has(id)) flow.input(id, structuredClone(message))
        await settle()
      },
      async (deployKind, changed, credentials = {}) => {
        step('deploy', deployKind)
        await flow.deployAs(deployKind, partOf(changed([...base]), credentials))
        await settle()
      },
    )
    step('stop')
    await flow.stop()
    return probes.trace.map(withoutTexts)
  } finally {
    probes.end()
  }
}

function simulate(part: FlowPart, probes: ProbeNodes): SimulatedFlow {
  return new SimulatedFlow([part], { userDir: '', queue: setImmediate, types: [probes.register] })
}

function partOf(nodes: Definition[], credentials: object): FlowPart {
  const ids = new Map(nodes.filter(({ type }) => type === 'probe').map(({ id }) => [id, id]))
  return {
    account: '',
    panel: '',
    ids,
    nodes,
    credentials: structuredClone(credentials) as FlowPart['credentials'],
  }
}

/** Returns a line without the texts of Node-RED itself: the test helper has none, so the real one writes nothing for them. */
function withoutTexts(line: string): string {
  return line
    .replace('Message exceeded maximum number of catches', 'undefined')
    .replace('Node tried to send a message of type string', '')
}
