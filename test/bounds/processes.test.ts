import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:processes', () => {
  testBounds('processes', {
    // With a Valkey, the tests of the cluster run twice.
    started: { 'node-red': 115, redis: 700, mosquitto: 20, 'home-assistant': 0, browser: 0 },
    // Real Node-REDs poll as long as the tests take: a busy machine makes several times as many as a quiet one.
    requests: 60_000,
    runs: 300,
  })
})
