import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Node, NodeAPI } from 'node-red'
import { beforeEnd, isInFlows, oncePerDeploy, sendAtOnce } from '../../../nodes/shared/node-lifecycle.ts'

describe('What is made once per deploy', () => {
  it('is made at its first use, and anew when flows stop or have started', () => {
    const events = new EventEmitter()
    const RED = { events } as unknown as NodeAPI
    let count = 0
    const made = oncePerDeploy(() => {
      count += 1
      return count
    })
    assert.equal(count, 0)
    assert.deepEqual([made(RED), made(RED)], [1, 1])
    events.emit('flows:stopping')
    assert.deepEqual([made(RED), made(RED)], [2, 2])
    events.emit('flows:started')
    assert.deepEqual([made(RED), made(RED)], [3, 3])
  })

  it('leaves no listeners behind, however many deploys there are', () => {
    const events = new EventEmitter()
    const made = oncePerDeploy(() => undefined)
    for (let deploy = 0; deploy < 20; deploy += 1) {
      made({ events } as unknown as NodeAPI)
      events.emit('flows:stopping')
      made({ events } as unknown as NodeAPI)
      events.emit('flows:started')
    }
    assert.ok(events.listenerCount('flows:stopping') <= 1)
    assert.equal(events.listenerCount('flows:started'), 0)
  })
})

/** A Node-RED with events alone, and what is called before the nodes end. */
function withNodes(...nodes: object[]) {
  const events = new EventEmitter()
  const RED = { events } as unknown as NodeAPI
  const ended: string[] = []
  const cancels = nodes.map((node) =>
    beforeEnd(RED, node as Node, () => ended.push((node as { id: string }).id)),
  )
  const stopping = (type: string, ...removed: string[]) => {
    events.emit('flows:stopping', { type, diff: { removed } })
    return ended.splice(0)
  }
  return { stopping, cancels, events }
}

describe('A node that ends', () => {
  it('is in the flows with its id, or with those of its subflow and of the outermost instance, also if they are disabled', () => {
    const isThere = (node: object, ...ids: string[]) => {
      const eachNode = (work: (one: object) => void) => {
        for (const id of ids) work({ id })
      }
      return isInFlows({ nodes: { eachNode } } as unknown as NodeAPI, node as Node)
    }
    assert.ok(isThere({ id: 'a', z: 'tab' }, 'tab', 'a'))
    assert.ok(!isThere({ id: 'a', z: 'tab' }, 'tab', 'b'))
    const inSubflow = { id: 'outer-inner-c', z: 'outer-inner', _alias: 'c' }
    assert.ok(isThere(inSubflow, 'c', 'outer', 'inner'))
    assert.ok(!isThere(inSubflow, 'c', 'inner'))
    assert.ok(!isThere(inSubflow, 'outer', 'inner'))
  })
})

describe('The end of a node', () => {
  it('comes with all flows, and with its own removal or that of its tab or subflow, but not with a restart', () => {
    const inSubflow = { id: 'outer-inner-c', z: 'outer-inner', _alias: 'c' }
    const { stopping, cancels } = withNodes({ id: 'a', z: 'tab' }, { id: 'b', z: 'other' }, inSubflow)
    assert.deepEqual(stopping('full'), ['a', 'b', 'outer-inner-c'])
    for (const type of ['nodes', 'flows']) {
      assert.deepEqual(stopping(type), [])
      assert.deepEqual(stopping(type, 'a'), ['a'])
      assert.deepEqual(stopping(type, 'other'), ['b'])
      for (const id of ['outer-inner', 'outer', 'c']) assert.deepEqual(stopping(type, id), ['outer-inner-c'])
    }
    for (const cancel of cancels) cancel()
    assert.deepEqual(stopping('full'), [])
  })

  it('comes with every stop of which Node-RED tells no more', () => {
    const { events, cancels } = withNodes()
    let ends = 0
    const cancel = beforeEnd({ events } as unknown as NodeAPI, { id: 'a' } as Node, () => {
      ends += 1
    })
    events.emit('flows:stopping')
    assert.equal(ends, 1)
    for (const one of [...cancels, cancel]) one()
  })

  it('is listened to once for all nodes', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ id: `${index}` }))
    const { events, cancels } = withNodes(...many)
    assert.equal(events.listenerCount('flows:stopping'), 1)
    for (const cancel of cancels) cancel()
  })
})

describe('What is sent at once', () => {
  it('reaches each node of each wire before the call returns, as a message of its own', () => {
    const received: [string, object][] = []
    const getNode = (id: string) =>
      id === 'gone' ? null : { receive: (message: object) => received.push([id, message]) }
    const RED = { nodes: { getNode } } as unknown as NodeAPI
    const message = { topic: 'one', payload: 'offline' }
    sendAtOnce(RED, { wires: [['a', 'gone'], ['b']] } as unknown as Node, [message])
    assert.deepEqual(received, [
      ['a', message],
      ['b', message],
    ])
    assert.ok(received.every(([, one]) => one !== message))
    sendAtOnce(RED, {} as Node, [message])
  })
})
