import { panelNotConnected, sessionExpired } from '../http/error-responses.ts'
import { errorResponse } from '../http/http-response.ts'
import type { Fault } from './active-faults.ts'
import { showsLate } from './lag-faults.ts'
import {
  bandwidth,
  cutAfter,
  drip,
  gzipBomb,
  hang,
  largeBody,
  latency,
  reset,
  wrongLength,
} from './network-faults.ts'
import {
  deepNesting,
  emptyBody,
  htmlPage,
  invalidJson,
  protoKeys,
  redirect,
  status,
  wrongTypes,
} from './response-faults.ts'
import {
  commandLost,
  panelRefuses,
  processesLost,
  sessionEnded,
  slowPanel,
  staysHandled,
  tokenRevoked,
  versionWithdrawn,
  wrongEventList,
} from './service-faults.ts'
import { vocabularyFaults } from './vocabulary-faults.ts'

const megabyte = 1024 * 1024

/**
 * All kinds of fault with typical parameters, each with a unique name, for test matrices and for the console.
 *
 * Two kinds are not faults of a response and are found elsewhere. A panel is offline from `goOffline()` to
 * `goOnline()` of the simulated panel: its last state is still served, and the traits of its devices are
 * missing. `setCertificate` of a simulator with https can use an invalid certificate.
 */
export const faultCatalogue: readonly (() => Fault)[] = [
  () => latency(300),
  () => latency(100, 400),
  () => bandwidth(2000),
  () => drip(100),
  () => cutAfter(0),
  () => cutAfter(100),
  () => cutAfter(0, 'not done'),
  () => reset('done'),
  () => reset('not done'),
  () => hang('done'),
  () => hang('not done'),
  () => wrongLength(100),
  () => wrongLength(-10),
  () => gzipBomb(200 * megabyte),
  () => largeBody(260 * megabyte),
  () => htmlPage(),
  () => htmlPage(403),
  () => emptyBody(),
  () => invalidJson(),
  () => deepNesting(200_000),
  () => wrongTypes(1),
  () => protoKeys(),
  () => redirect('https://elsewhere.example/'),
  () => redirect('https://elsewhere.example/', 307),
  () => status(400, { body: panelNotConnected.body, name: 'status 400, panel not connected' }),
  () => status(401),
  () => status(403),
  () => status(403, { body: sessionExpired('403').body, name: 'status 403, sign-in required' }),
  () => status(404),
  () => status(420, { seconds: 5 }),
  () => status(429),
  () => status(429, { retryAfter: '5' }),
  () => status(429, { retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  () => status(429, { retryAfter: '-1' }),
  () => status(429, { retryAfter: '1000000000' }),
  () => status(440),
  () => status(442),
  () => status(444),
  () => status(447),
  () => status(500),
  () => status(503),
  () => status(503, { retryAfter: '5' }),
  () => status(504, { isExecuted: true }),
  () => versionWithdrawn('14.0'),
  () => versionWithdrawn('14.0', errorResponse(410, 410, 'Gone', 'Gone')),
  () => sessionEnded(errorResponse(400, 400, 'BadRequest', 'Bad request')),
  () => tokenRevoked('session'),
  () => tokenRevoked('user'),
  () => wrongEventList('empty'),
  () => wrongEventList('half'),
  () => wrongEventList('twice'),
  () => wrongEventList('shuffled'),
  () => slowPanel(20),
  () => staysHandled(),
  () => commandLost(),
  () => panelRefuses('NotReady'),
  () => panelRefuses('Replaced'),
  () => processesLost('refusal'),
  () => processesLost('empty list'),
  () => showsLate({ status: 4, alarms: 4, alerts: 4, troubles: 4, devices: 30, events: 60 }),
  ...vocabularyFaults,
]
