import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:compatibility', () => {
  testBounds('compatibility', {
    started: { 'node-red': 3, redis: 0, mosquitto: 0, 'home-assistant': 0, browser: 0 },
    // Real Node-REDs poll as long as the tests take: a busy machine makes several times as many as a quiet one.
    requests: 8_000,
    runs: 0,
  })
})
