import fc from 'fast-check'
import { minute, second } from '../../src/duration.ts'
import { faultCatalogue } from '../../src/simulator/faults/fault-catalogue.ts'
import type { ExpiryStatus } from '../../src/simulator/http/auth/accounts.ts'
import { anyDisturbance } from '../disturbances/any-disturbance.ts'
import type { LastingDisturbance } from '../disturbances/lasting-disturbance.ts'
import { refusals, type StrangeAnswer, strangeAnswers } from '../disturbances/strange-answer.ts'
import { faultyOperations } from '../simulation/service/service-faults.ts'

/** The start of a disturbance, in milliseconds after the start of the one before. */
interface Start {
  after: number
}

/** A disturbance of one operation, or of all. */
interface Lasting extends Start {
  operation: string | undefined
  lasts: number
}

/** A disturbance of the service, the connection or the panel. */
export type Disturbance =
  /** A fault of the simulator's catalogue, by its name. */
  | (Lasting & { what: 'fault'; fault: string })
  | (Lasting & { what: 'answer'; answer: StrangeAnswer })
  /** The service never offers the version again. */
  | (Start & { what: 'version withdrawn'; answer: StrangeAnswer | undefined })
  | (Start & { what: 'session ended'; answer: StrangeAnswer })
  | (Start & { what: 'tokens expire'; tokens: 'session' | 'user'; status: ExpiryStatus })
  | (Start & { what: 'sign-ins blocked'; seconds: number })
  | (Start & { what: 'panel offline'; lasts: number })
  | (Start & { what: 'secret changed'; secret: 'password' | 'user code' })
  | SlowOrWrong

/** A disturbance that ends nothing. */
export interface SlowOrWrong extends Start {
  what: 'slow or wrong'
  disturbance: LastingDisturbance
}

/** The operations that polls, sign-ins and starts use: a flow asks for the troubles. */
const operations = faultyOperations.filter((operation) => operation !== 'troubles')

/** Faults that send hundreds of megabytes: too slow for thousands of requests. */
const isHeavy = (name: string) => /bomb|body of|nested/.test(name)

const faultNames = faultCatalogue.map((make) => make().name).filter((name) => !isHeavy(name))

const start = { after: fc.integer({ min: 0, max: 4 * minute }) }

const lasting = {
  ...start,
  operation: fc.oneof(fc.constant(undefined), fc.constantFrom(...operations)),
  lasts: fc.oneof(
    fc.integer({ min: 0, max: 10 * minute }),
    fc.constantFrom(second, 30 * second, minute, 12 * minute),
  ),
}

const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('fault' as const),
      fault: fc.constantFrom(...faultNames),
      ...lasting,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ what: fc.constant('answer' as const), answer: strangeAnswers, ...lasting }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('version withdrawn' as const),
      answer: fc.option(strangeAnswers, { nil: undefined }),
      ...start,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('session ended' as const), answer: refusals, ...start }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('tokens expire' as const),
      tokens: fc.constantFrom('session' as const, 'user' as const),
      status: fc.constantFrom<ExpiryStatus>('440', '400', '401', '403'),
      ...start,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('sign-ins blocked' as const),
      seconds: fc.integer({ min: 1, max: 600 }),
      ...start,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('panel offline' as const),
      lasts: fc.integer({ min: second, max: 10 * minute }),
      ...start,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('secret changed' as const),
      secret: fc.constantFrom('password' as const, 'user code' as const),
      ...start,
    }),
  },
)

/** An arbitrary for sequences of disturbances, which can overlap. */
export const disturbances: fc.Arbitrary<Disturbance[]> = fc.array(disturbance, { minLength: 1, maxLength: 5 })

/** An arbitrary for sequences of disturbances that end nothing; they can overlap. */
export const slowOrWrong: fc.Arbitrary<SlowOrWrong[]> = fc.array(
  fc.record({ what: fc.constant('slow or wrong' as const), disturbance: anyDisturbance, ...start }),
  { minLength: 1, maxLength: 5 },
)
