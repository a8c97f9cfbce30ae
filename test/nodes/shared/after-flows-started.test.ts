import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { NodeAPI } from 'node-red'
import { oncePerDeploy } from '../../../nodes/shared/after-flows-started.ts'

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
