import { formatDuration } from '../../../src/duration.ts'
import type { StrangeAnswer } from '../../disturbances/strange-answer.ts'
import type { ServiceFault } from '../service/service-faults.ts'

type FaultOf<What extends ServiceFault['what']> = Extract<ServiceFault, { what: What }>

/** The sentence of each fault of the service, for a person who does not know the code. */
export const serviceSentences: {
  readonly [What in ServiceFault['what']]: (fault: FaultOf<What>) => string
} = {
  'service fault': ({ fault, operation, lasts }) =>
    `the service has the fault "${fault}" ${at(operation)} ${forTime(lasts)}`,
  'strange answers': ({ answer, operation, lasts }) =>
    `the service answers ${at(operation)} with ${wordsOf(answer)} ${forTime(lasts)}`,
  'session ended': ({ answer }) => `the service ends the session, and says so with ${wordsOf(answer)}`,
  'tokens expire': ({ tokens, status }) =>
    `the ${tokens === 'user' ? 'sign-in' : 'session'} expires, which the service tells with status ${status}`,
  'sign-ins blocked': ({ seconds }) => `the service refuses sign-ins ${forTime(seconds * 1000)}`,
  'version withdrawn': ({ answer }) =>
    `the service withdraws its version for ever${answer === undefined ? '' : `, and answers its paths with ${wordsOf(answer)}`}`,
  'secret changed': ({ secret, lasts }) =>
    `a person changes the ${secret}, and tells it the nodes after ${formatDuration(lasts)}`,
}

function at(operation: string | undefined): string {
  return operation === undefined ? 'at each request' : `at ${operation}`
}

function forTime(ms: number): string {
  return `for ${formatDuration(ms)}`
}

function wordsOf({ status, body, retryAfter }: StrangeAnswer): string {
  const text = body === undefined ? 'no body' : JSON.stringify(body)
  return `status ${status}, ${text}${retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`}`
}
