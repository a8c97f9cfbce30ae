import assert from 'node:assert/strict'
import { startNodeRedHarness } from '../../../harness/node-red.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'

/**
 * Lets so many state nodes hear of three polls at least.
 * @returns how often each path was asked for, after every answer about the state has reached every node
 */
async function askedFor(nodes: number): Promise<Record<string, number>> {
  const harness = await startNodeRedHarness()
  try {
    const { messages, simulator } = harness
    const ids = Array.from({ length: nodes }, (_, index) => `state ${index}`)
    await harness.writeFlows(
      ids.map((id) => ({ id, type: 'keyholder-state', emit: 'poll', partitions: [1] })),
    )
    await harness.startNodeRed().url
    const polls = (id: string) => new Set(messages.from(id).all.map(({ fetchedAt }) => fetchedAt)).size
    await messages.until(() => ids.every((id) => polls(id) >= 3), 'three polls at each')
    // No further poll ends, so that what is told can catch up with what was asked.
    simulator.faults.start(hang(), { operation: 'status' })
    const answered = () =>
      simulator.requests.filter(({ path, status }) => path.endsWith('/status') && status === 200).length
    await messages.until(() => ids.every((id) => polls(id) === answered()), 'each answer at each node')
    const asked: Record<string, number> = { answered: answered() }
    for (const { path } of simulator.requests) asked[path] = (asked[path] ?? 0) + 1
    return asked
  } finally {
    await harness.close()
  }
}

describe('State nodes on one panel', () => {
  for (const nodes of [1, 50]) {
    it(`cost the same requests for any number of nodes: ${nodes}`, async () => {
      const {
        answered = 0,
        '/rest_api/14.0/status': polls = 0,
        '/rest_api/14.0/alarms': alarms = 0,
        ...others
      } = await askedFor(nodes)
      assert.deepEqual(others, {
        '/rest_api/version': 1,
        '/rest_api/14.0/auth': 1,
        '/rest_api/14.0/panels': 1,
        '/rest_api/14.0/panel/login': 1,
        '/rest_api/14.0/panel_info': 1,
        '/rest_api/14.0/feature_set': 1,
      })
      // One may hang.
      assert.ok(polls - answered <= 1, `${polls} polls for ${answered} answers`)
      assert.ok(alarms <= answered, `${alarms} times the alarms in ${answered} polls`)
    })
  }
})
