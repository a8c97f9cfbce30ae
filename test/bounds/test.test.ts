import { isDeep } from '../../harness/mocha/depth.ts'
import { testBounds } from '../../harness/mocha/suite-bounds.ts'

describe('A run of npm test', () => {
  testBounds('test', {
    started: { 'node-red': 12, redis: 0, mosquitto: 0, 'home-assistant': 0, browser: 0 },
    requests: isDeep ? 76_000 : 68_000,
    runs: isDeep ? 12_500 : 4_700,
    mixed: [
      // They reach no simulator: the address is refused, closed, another server's or the client is not ours.
      'test/account/account-health.test.ts',
      'test/account/command.test.ts',
      'test/account/connection-check.test.ts',
      'test/account/findings.test.ts',
      'test/account/http/http-client.test.ts',
      'test/account/requests/cached-answers.test.ts',
      'test/account/session/sign-in.test.ts',
      'test/panel/diagnostics/redaction.test.ts',
      'test/panel/diagnostics/shape-differences.test.ts',
      'test/panel/outage.test.ts',
      // They test how connections themselves are slow or refused.
      'test/harness/memory-connections.test.ts',
      // They test the simulator's HTTP with other clients.
      'test/simulator/console/console-page.test.ts',
      'test/simulator/faults/active-faults.test.ts',
      'test/simulator/faults/fault-catalogue.test.ts',
      'test/simulator/faults/network-faults.test.ts',
      'test/simulator/faults/response-faults.test.ts',
      'test/simulator/http/callers.test.ts',
      'test/simulator/http/end-user-operations.test.ts',
      'test/simulator/http/specification-only.test.ts',
      'test/simulator/robustness.test.ts',
    ],
  })
})
