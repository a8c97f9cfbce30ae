import { isDeep } from '../../harness/mocha/depth.ts'
import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:processes', () => {
  testBounds('processes', {
    // With a Valkey, as in the deep suite, the tests of the cluster run twice.
    started: { 'node-red': 100, redis: isDeep ? 400 : 180, mosquitto: 18, 'home-assistant': 0, browser: 0 },
    // Real Node-REDs poll as long as the tests take: a busy machine makes several times as many as a quiet one.
    requests: 60_000,
    runs: 150,
  })
})
