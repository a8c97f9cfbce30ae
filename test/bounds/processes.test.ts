import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:processes', () => {
  testBounds('processes', {
    // With a Valkey, the tests of the cluster run twice.
    started: { 'node-red': 109, redis: 700, mosquitto: 20, browser: 0 },
    requests: 16_000,
    runs: 300,
  })
})
