import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { AnswerStore } from '../answer.ts'
import { RejectionFile } from './auth/rejection-file.ts'
import type { RejectionStore } from './auth/rejection-store.ts'
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

/** The files about a service user: of a process that is alone, and of one that was. */
export interface UserFiles {
  readonly attemptLog: AttemptLog
  readonly rejections: RejectionFile
  /** A copy of the rejections of the cluster, for the time after it. */
  readonly sharedRejections: RejectionFile
}

/** Returns the files about a service user. */
export function userFiles(folder: string, user: string, clock: Clock): UserFiles {
  const path = join(folder, `user-${user}`)
  const sharedRejections = new RejectionFile(`${path}.cluster.rejected.json`)
  return {
    attemptLog: new AttemptLog(`${path}.log`, clock),
    rejections: new RejectionFile(`${path}.rejected.json`, sharedRejections),
    sharedRejections,
  }
}

/**
 * Returns the stores of a process that is alone.
 * @param folder for the files that the next process needs
 */
export function localUserStores(folder: string, clock: Clock): OpenUserStores {
  return (user) => {
    const { attemptLog, rejections } = userFiles(folder, user, clock)
    return {
      rateLimits: new LocalRateLimitStore(attemptLog, clock),
      rejections,
      tokens: new LocalTokenStore(clock),
    }
  }
}
