import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:home-assistant', () => {
  testBounds('hass', {
    started: { 'node-red': 8, redis: 0, mosquitto: 6, 'home-assistant': 7, browser: 0 },
    // Real Node-REDs poll as long as the tests take: a busy machine makes several times as many as a quiet one.
    requests: 20_000,
    runs: 0,
  })
})
