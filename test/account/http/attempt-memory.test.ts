import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { collectGarbage } from '../../../harness/metrics/gc.ts'
import { HttpClient } from '../../../src/account/http/http-client.ts'
import { systemClock } from '../../../src/clock.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('an HTTP attempt that is over', () => {
  let simulator: Simulator
  let requests: WeakRef<ClientRequest>[]
  const note = (message: unknown) => {
    requests.push(new WeakRef((message as { request: ClientRequest }).request))
  }

  beforeEach(async () => {
    simulator = await startSimulator()
    requests = []
    subscribe('http.client.request.start', note)
  })
  afterEach(() => {
    unsubscribe('http.client.request.start', note)
    return simulator.close()
  })

  it('is not kept in the memory by whoever might still have ended it', async () => {
    const httpClient = new HttpClient({ timeout: 10, caFile: '' }, systemClock)
    const life = new AbortController()
    for (let nth = 0; nth < 20; nth += 1) {
      const url = `${simulator.url}/rest_api/version`
      await httpClient.fetch({ method: 'GET', url, headers: {}, signal: life.signal })
    }
    await collectGarbage()
    const kept = requests.filter((request) => request.deref() !== undefined)
    assert.equal(requests.length, 20)
    // The connection holds the latest one.
    assert.ok(kept.length <= 1, `${kept.length} requests are kept`)
    assert.equal(life.signal.aborted, false)
  })
})
