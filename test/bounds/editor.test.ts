import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:editor', () => {
  testBounds('editor', {
    started: { 'node-red': 10, redis: 35, mosquitto: 0, 'home-assistant': 0, browser: 2 },
    // Real Node-REDs poll as long as the tests take: a busy machine makes several times as many as a quiet one.
    requests: 6_000,
    runs: 0,
  })
})
