import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:long', () => {
  testBounds('long', {
    started: { 'node-red': 160, redis: 30, mosquitto: 0, 'home-assistant': 0, browser: 0 },
    requests: 450_000,
    runs: 72_500,
  })
})
