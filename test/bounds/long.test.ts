import { isDeep } from '../../harness/mocha/depth.ts'
import { testBounds } from '../../harness/mocha/suite-bounds.ts'

const servers = { mosquitto: 0, 'home-assistant': 0, browser: 0 }

describe('A run of npm run test:long', () => {
  testBounds(
    'long',
    isDeep
      ? { started: { ...servers, 'node-red': 160, redis: 30 }, requests: 450_000, runs: 80_000 }
      : // Real Node-REDs poll as long as the tests take: a busy machine makes more requests than a quiet one.
        { started: { ...servers, 'node-red': 45, redis: 25 }, requests: 90_000, runs: 5_000 },
  )
})
