import fc from 'fast-check'
import type { Lane } from '../../../src/account/service-user/rate-limit/budget.ts'
import { hour, minute, second } from '../../../src/duration.ts'

/** A source of repeated requests: a polled panel, or a button that is pressed again and again. */
export interface Requester {
  lane: Lane
  /** Undefined for requests of the account itself, such as a sign-in. */
  panel: string | undefined
  /** Milliseconds until the first round, and between rounds; a round is skipped while the previous one runs. */
  from: number
  every: number
  /** The maximum number of rounds. */
  rounds: number
  /** The durations in milliseconds of the requests of a round, which follow one another. */
  calls: readonly number[]
  /** The number of failures before each request succeeds. */
  failures: number
  /** Milliseconds until it stops and aborts its requests. */
  leaves: number | undefined
  /** True for a panel at its pace: its requests have ages, and each is as urgent as it is old. */
  isPaced?: boolean
}

/** A change of the process, the cap or the wall clock at some time. */
export type Incident = { at: number } & (
  | { what: 'cap'; cap: number }
  | { what: 'step'; by: number }
  /** The process is killed, or closes its account like a deploy, and another one starts. */
  | { what: 'kill' | 'stop' }
)

/** The requests and incidents of a rate limiter. */
export interface Schedule {
  cap: number
  /** Milliseconds after which no new request starts. */
  lasts: number
  askers: readonly Requester[]
  incidents: readonly Incident[]
}

const latency = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: 0, max: 800 }) },
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 10 * second }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100 * second }) },
)

const cap = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.integer({ min: 1, max: 4 }),
  fc.constant(30),
  // From 60 on, several attempts are noted together.
  fc.integer({ min: 60, max: 300 }),
)

const panel = fc.constantFrom(undefined, 'A', 'B', 'C', 'D')

const leaves = fc.option(fc.integer({ min: 0, max: 3 * minute }), { nil: undefined, freq: 4 })

/** A polled panel, or polls faster than any cap allows. */
const polling = fc.record<Requester>({
  lane: fc.constant('poll'),
  panel,
  from: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * minute })),
  every: fc.oneof(fc.constant(500), fc.integer({ min: 5 * second, max: minute })),
  rounds: fc.constant(Number.POSITIVE_INFINITY),
  calls: fc.array(latency, { minLength: 1, maxLength: 4 }),
  failures: fc.integer({ min: 0, max: 1 }),
  leaves,
})

/** A panel at its pace: rounds follow each other as soon as the interval in force has passed. */
const paced = polling.map((asker) => ({ ...asker, isPaced: true }))

/** A command, a sign-in or a manual read: single, several at once, or endless. */
const pressing = fc.record<Requester>({
  lane: fc.constantFrom('command', 'urgent'),
  panel,
  from: fc.integer({ min: 0, max: 5 * minute }),
  every: fc.oneof(fc.constant(100), fc.integer({ min: second, max: 2 * minute })),
  rounds: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
  ),
  calls: fc.array(latency, { minLength: 1, maxLength: 4 }),
  failures: fc.integer({ min: 0, max: 2 }),
  leaves,
})

const at = fc.integer({ min: 0, max: 5 * minute })

const incident: fc.Arbitrary<Incident> = fc.oneof(
  fc.record({ at, what: fc.constant('cap' as const), cap }),
  fc.record({
    at,
    what: fc.constant('step' as const),
    by: fc.constantFrom(-hour, hour, -7 * second, 90 * second),
  }),
  fc.record({ at, what: fc.constantFrom('kill' as const, 'stop' as const) }),
)

/** An arbitrary for any schedule: some panels, some urgent requests, and some incidents. */
export const schedules: fc.Arbitrary<Schedule> = fc.record({
  cap,
  lasts: fc.integer({ min: minute, max: 5 * minute }),
  askers: fc
    .tuple(fc.array(fc.oneof(polling, paced), { maxLength: 5 }), fc.array(pressing, { maxLength: 5 }))
    .map(([polls, urgent]) => [...polls, ...urgent]),
  incidents: fc.oneof(fc.constant([]), fc.array(incident, { maxLength: 6 })),
})

/** An arbitrary for schedules in which polls and manual reads use the whole cap, with occasional commands. */
export const saturatedSchedules: fc.Arbitrary<Schedule> = fc.record({
  cap: fc.integer({ min: 2, max: 60 }),
  lasts: fc.constant(6 * minute),
  askers: fc
    .tuple(
      fc.array(
        fc
          .tuple(polling, fc.constantFrom<Lane>('poll', 'urgent'))
          .map(([asker, lane]) => ({ ...asker, lane, from: 0, every: 500, leaves: undefined })),
        { minLength: 3, maxLength: 6 },
      ),
      fc.array(
        pressing.map((asker) => ({
          ...asker,
          lane: 'command' as const,
          rounds: 1,
          calls: asker.calls.slice(0, 1),
          failures: 0,
        })),
        { minLength: 1, maxLength: 4 },
      ),
    )
    .map(([reads, commands]) => [...reads, ...commands]),
  incidents: fc.constant([]),
})
