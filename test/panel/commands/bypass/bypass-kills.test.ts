import assert from 'node:assert/strict'
import { cutArming, testCuts, testDisturbances } from '../../../../harness/properties/bypass-properties.ts'

describe('An arming with bypass whose process is killed', () => {
  for (const isDone of [false, true]) {
    it(`at each request, ${isDone ? 'after' : 'before'} the service has carried it out, is armed with exactly its recorded bypasses or leaves none`, async () => {
      let request = 1
      const cut = { zones: [2, 3], state: 'AWAY', restoreBypass: false, isDone, seconds: 5 } as const
      while ((await cutArming({ ...cut, request })).wasKilled) request += 1
      assert.ok(request > 10, `${request - 1} requests`)
    }).timeout(120_000)
  }

  testCuts(2)
})

describe('An arming with bypass that is disturbed', () => {
  testDisturbances(2)
})
