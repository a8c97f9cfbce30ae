import { add, change, probe, remove, stored } from '../../../harness/simulation/node-red/probes/probe-flow.ts'
import type { Scenario } from '../../../harness/simulation/node-red/probes/scenario.ts'
import { testScenarios } from '../../../harness/simulation/node-red/probes/scenario.ts'

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
    title: 'starts all nodes anew, without a change, by a reload',
    shows: /---- deploy reload[\s\S]*"removed":\[\][\s\S]*start h/,
    perform: async (input, deploy) => {
      await input('a', { ask: 'context' })
      await deploy('reload', (nodes) => nodes)
      await input('a', { ask: 'context' })
    },
  },
  {
    title: 'goes on without a node that does not close in time',
    closeTimeout: 20,
    shows: /close late never[\s\S]*log .*"late"[\s\S]*start late .*again/,
    perform: async (input, deploy) => {
      const late = probe('late', { z: 'tab4', atEnd: 'never' })
      await deploy('nodes', add(late))
      await deploy('nodes', add({ ...late, name: 'again' }))
      await input('late', { payload: 1 })
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

describe('A deploy in the simulated Node-RED does as in the real one', () => {
  testScenarios(scenarios)
})
