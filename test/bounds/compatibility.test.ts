import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:compatibility', () => {
  testBounds('compatibility', {
    started: { 'node-red': 3, redis: 0, mosquitto: 0, browser: 0 },
    requests: 2000,
    runs: 0,
  })
})
