import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm run test:editor', () => {
  testBounds('editor', {
    started: { 'node-red': 10, redis: 35, mosquitto: 0, browser: 2 },
    requests: 1_500,
    runs: 0,
  })
})
