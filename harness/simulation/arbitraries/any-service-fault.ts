import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import type { ExpiryStatus } from '../../../src/simulator/http/auth/accounts.ts'
import { refusals, strangeAnswers } from '../../disturbances/strange-answer.ts'
import { faultyOperations, type ServiceFault, serviceFaultNames } from '../service/service-faults.ts'

/** Most lives have no time for a pause of half an hour. */
const answers = strangeAnswers.filter(
  ({ status, retryAfter }) => ![442, 443].includes(status) && retryAfter !== '1800',
)

const scope = {
  operation: fc.oneof(fc.constant(undefined), fc.constantFrom(...faultyOperations)),
  lasts: fc.constantFrom(second, 20 * second, minute, 4 * minute, 12 * minute),
}

/** An arbitrary for faults of the service. */
export const anyServiceFault: fc.Arbitrary<ServiceFault> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('service fault'),
      fault: fc.constantFrom(...serviceFaultNames),
      ...scope,
    } as const),
  },
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('strange answers'), answer: answers, ...scope } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('version withdrawn'),
      answer: fc.option(answers, { nil: undefined }),
    } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('session ended'), answer: refusals } as const),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('tokens expire'),
      tokens: fc.constantFrom('session', 'user'),
      status: fc.constantFrom<ExpiryStatus>('440', '400', '401', '403'),
    } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('sign-ins blocked'),
      seconds: fc.constantFrom(1, 30, 90, 300),
    } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('secret changed'),
      secret: fc.constantFrom('password', 'user code'),
      lasts: fc.constantFrom(20 * second, 2 * minute, 6 * minute),
    } as const),
  },
)
