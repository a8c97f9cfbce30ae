import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import register, { registrations } from '../../nodes/keyholder.ts'

/** A Node-RED that accepts everything, except one type of node. */
function runtimeWithout(refused: string) {
  const types: string[] = []
  const errors: string[] = []
  const anything: object = new Proxy(() => {}, { get: () => anything, apply: () => anything })
  const nodes = {
    registerType(type: string) {
      if (type === refused) throw new Error('it is there already')
      types.push(type)
    },
  }
  const log = { error: (line: string) => errors.push(line), debug: () => {} }
  const RED = new Proxy({}, { get: (_, name) => ({ nodes, log })[name as 'nodes'] ?? anything })
  return { RED: RED as NodeAPI, types, errors }
}

describe('The registration of the nodes', () => {
  it('goes on after a node that cannot be registered, and names it in the log', () => {
    const { RED, types, errors } = runtimeWithout('keyholder-account')
    register(RED)
    const others = Object.keys(registrations).slice(1)
    assert.deepEqual(
      types,
      others.map((name) => `keyholder-${name}`),
    )
    assert.deepEqual(errors, ['The node keyholder-account cannot be used: Error: it is there already'])
  })
})
