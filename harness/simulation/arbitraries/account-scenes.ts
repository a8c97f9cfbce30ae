import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import type { ExpiryStatus } from '../../../src/simulator/http/auth/accounts.ts'
import type { Deed, Step } from '../life.ts'

/** Milliseconds between two things that happen to an account. */
const moment = fc.constantFrom(0, 1, second, 10 * second, 30 * second)

/** The steps after which a process ends in the middle of a start. */
const ending = fc.record({
  what: fc.constantFrom('kill', 'power cut'),
  steps: fc.integer({ min: 0, max: 400 }),
  lasts: fc.constantFrom(0, 5 * second),
} as const)

const restart = fc.constant({ what: 'restart', lasts: 0 } as const)

/** Returns the steps of some deeds that follow each other at once. */
function inRow(deeds: readonly fc.Arbitrary<Deed>[]): fc.Arbitrary<Step[]> {
  return fc.tuple(...deeds.map((deed) => fc.record({ after: moment, deed })))
}

const ask = fc.constant({ what: 'ask' } as const)

const slow = fc.record({
  what: fc.constant('service fault'),
  fault: fc.constantFrom('latency of 1 to 8001 ms', 'latency of 300 ms'),
  // Answers of one kind arrive long after the others.
  operation: fc.constantFrom(undefined, 'events', 'devices'),
  lasts: fc.constant(2 * minute),
} as const)

const expiry = fc.record({
  what: fc.constant('tokens expire'),
  tokens: fc.constantFrom('session', 'user'),
  status: fc.constantFrom<ExpiryStatus>('440', '400', '401', '403'),
} as const)

const pause = fc.record({
  what: fc.constant('strange answers'),
  answer: fc.record({
    status: fc.constantFrom(429, 503, 420),
    body: fc.constant(undefined),
    retryAfter: fc.constantFrom('60', '90', '180'),
  }),
  operation: fc.constantFrom(undefined, 'events', 'status'),
  lasts: fc.constantFrom(second, 20 * second, minute),
} as const)

const secret = fc.record({
  what: fc.constant('secret changed'),
  secret: fc.constantFrom('password', 'user code'),
  lasts: fc.constantFrom(4 * minute, 9 * minute),
} as const)

/** A flow that asks for more than the limit allows. */
const busyFlow: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ after: fc.constantFrom(2 * second, 4 * second, 8 * second), deed: ask }),
  { minLength: 7, maxLength: 7 },
)

/** Node-RED ends while such a flow asks, and a slow disk has not noted what was sent. */
const killedBusyFlow: fc.Arbitrary<Step[]> = fc
  .tuple(busyFlow, fc.constantFrom(2, 3, 4, 5), fc.constantFrom(200, 500, second), busyFlow)
  .map(([before, asked, after, next]) => [
    { after: 0, deed: { what: 'disk slow', delay: 500, lasts: 3 * minute } },
    ...before.slice(0, asked),
    { after, deed: { what: 'kill', steps: 0, lasts: 0 } },
    ...next,
  ])

/** The scenes of an account by name: what it must not forget, and what asks it at the same time. */
export const accountScenes: Readonly<Record<string, fc.Arbitrary<Step[]>>> = {
  expiry: inRow([slow, expiry, ask, ask]),
  slowAnswers: inRow([slow, ask, ask, ask, ask, ask, ask]),
  pause: inRow([ask, pause, ask, fc.oneof(ending, restart), ask]),
  secret: inRow([secret, ask, fc.oneof(ending, restart), ending, ask]),
  crashLoop: inRow([ending, ending, ending, restart, ask]),
  restarts: inRow([restart, ask, restart, ask, ask, restart, ask, ask, ask]),
  busyFlow,
  killedBusyFlow,
}

/** An arbitrary for what happens to an account in a row. */
export const accountScene: fc.Arbitrary<Step[]> = fc.oneof(...Object.values(accountScenes))
