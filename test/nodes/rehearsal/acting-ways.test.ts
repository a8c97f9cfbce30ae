import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { functionNode, houseFlow } from '../../../harness/rehearsal/house-flow.ts'
import { FlowGraph } from '../../../nodes/rehearsal/flow-graph.ts'
import { actingWays } from '../../../nodes/rehearsal/ways-out.ts'

/** Returns the names of the nodes that are known to act if `incident` sends something to a function node and a phone. */
function acting(code: string, modules: readonly string[] = []): string[] {
  const libs = modules.map((module) => ({ var: 'module', module }))
  const text = { ...functionNode('text', code, [['phone']]), libs }
  const flow = houseFlow.map((node) => (node.id === text.id ? text : node))
  const nodes = {
    eachNode: (take: (node: object) => void) => flow.forEach(take),
    getNode: (id: string) => flow.find((node) => node.id === id) ?? null,
  }
  return actingWays(new FlowGraph({ nodes } as unknown as NodeAPI), ['incident']).map(({ name }) => name)
}

describe('What is known to act if a rehearsal starts', () => {
  it('is each node that tells somebody, and no function that only changes a message', () => {
    assert.deepEqual(acting('return msg'), ['phone'])
    assert.deepEqual(acting('return { payload: moment().format() }', ['moment', 'node:path']), ['phone'])
  })

  it('is also a function that loads a module with which it may send, or fetches an address', () => {
    for (const module of ['http', 'node:https', 'nodemailer@6', 'child_process'])
      assert.deepEqual(acting('return msg', [module]).toSorted(), ['phone', 'text'], module)
    assert.deepEqual(acting("fetch('https://ntfy.sh/x')\nreturn msg").toSorted(), ['phone', 'text'])
  })
})
