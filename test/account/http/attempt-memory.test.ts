import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { collectGarbage } from '../../../harness/metrics/gc.ts'
import { HttpClient } from '../../../src/account/http/http-client.ts'
import { systemClock } from '../../../src/clock.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('A finished HTTP request', () => {
  let simulator: Simulator
  let requests: WeakRef<ClientRequest>[]
  const record = (message: unknown) => {
    requests.push(new WeakRef((message as { request: ClientRequest }).request))
  }

  beforeEach(async () => {
    simulator = await startSimulator()
    requests = []
    subscribe('http.client.request.start', record)
  })
  afterEach(() => {
    unsubscribe('http.client.request.start', record)
    return simulator.close()
  })

  it('is not kept in memory by the signal that could have aborted it', async () => {
    const httpClient = new HttpClient({ timeout: 10, caFile: '' }, systemClock)
    const controller = new AbortController()
    for (let nth = 0; nth < 20; nth += 1) {
      const url = `${simulator.url}/rest_api/version`
      await httpClient.fetch({ method: 'GET', url, headers: {}, signal: controller.signal })
    }
    await collectGarbage()
    const kept = requests.filter((request) => request.deref() !== undefined)
    assert.equal(requests.length, 20)
    // The connection keeps the latest one.
    assert.ok(kept.length <= 1, `${kept.length} requests are kept`)
    assert.equal(controller.signal.aborted, false)
  })
})
