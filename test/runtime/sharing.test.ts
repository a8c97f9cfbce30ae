import assert from 'node:assert/strict'
import { Laboratory } from '../support/laboratory.ts'

/** The requests of the first three polls of the state, with so many nodes that listen to it. */
async function requestsOf(nodes: number): Promise<string[]> {
  const laboratory = await Laboratory.open()
  try {
    const ids = Array.from({ length: nodes }, (_, index) => `state ${index}`)
    await laboratory.furnish(
      ids.map((id) => ({ id, type: 'keyholder-state', emit: 'poll', partitions: [1] })),
    )
    laboratory.start()
    const { sink } = laboratory
    await sink.until('three messages from each', () => ids.every((id) => sink.from(id).length >= 3))
    const paths = laboratory.simulator.requests.map(({ path }) => path)
    const third = paths.flatMap((path, index) => (path.endsWith('/status') ? [index] : []))[2]
    return paths.slice(0, third)
  } finally {
    await laboratory.close()
  }
}

describe('Fifty state nodes on one panel', function () {
  this.timeout(60_000)

  it('cost as many requests as one', async () => {
    assert.deepEqual(await requestsOf(50), await requestsOf(1))
  })
})
