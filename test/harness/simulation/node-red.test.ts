import type { Scenario } from '../../../harness/simulation/node-red/probes/scenario.ts'
import { testScenarios } from '../../../harness/simulation/node-red/probes/scenario.ts'

const asks = (title: string, shows: RegExp, ...inputs: [id: string, message: object][]): Scenario => ({
  title,
  shows,
  perform: async (input) => {
    for (const [id, message] of inputs) await input(id, message)
  },
})

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
]

describe('The simulated Node-RED does as the real one', () => {
  testScenarios(scenarios)
})
