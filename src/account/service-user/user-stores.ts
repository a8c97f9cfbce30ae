import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { AnswerStore } from '../answer.ts'
import { RejectionFile, type RejectionStore } from './auth/rejection-store.ts'
import { LocalTokenStore, type TokenStore } from './auth/token-store.ts'
import { AttemptLog } from './rate-limit/attempt-log.ts'
import { LocalRateLimitStore } from './rate-limit/local-rate-limit-store.ts'
import type { RateLimitStore } from './rate-limit/rate-limit-store.ts'

/** The state that all processes with one service user share: this process and those before it, or several at a time. */
export interface UserStores {
  readonly rateLimits: RateLimitStore
  readonly rejections: RejectionStore
  readonly tokens: TokenStore
  /** Undefined for a process that is alone. */
  readonly answers?: AnswerStore
}

/**
 * Opens the stores of a service user; called once for each user and process.
 * @param user a short hash of host and e-mail
 */
export type OpenUserStores = (user: string) => UserStores

/** Returns the log of the attempts of a service user, which also tells if they are counted in a cluster. */
export function attemptLogOf(user: string, folder: string, clock: Clock): AttemptLog {
  return new AttemptLog(join(folder, `user-${user}.log`), clock)
}

/**
 * Returns the stores of a process that is alone.
 * @param folder for the files that the next process needs
 */
export function localUserStores(folder: string, clock: Clock): OpenUserStores {
  return (user) => ({
    rateLimits: new LocalRateLimitStore(attemptLogOf(user, folder, clock), clock),
    rejections: new RejectionFile(join(folder, `user-${user}.rejected.json`)),
    tokens: new LocalTokenStore(clock),
  })
}
