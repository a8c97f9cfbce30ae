import type { RejectionStore } from './auth/rejection-store.ts'
import type { TokenStore } from './auth/token-store.ts'
import type { RateLimitStore } from './rate-limit/rate-limit-store.ts'

/** What all who send requests for one service user share: this process and those before it, or several at a time. */
export interface UserStores {
  readonly rateLimits: RateLimitStore
  readonly rejections: RejectionStore
  readonly tokens: TokenStore
}

/**
 * Opens the stores of a service user; called once for each user and process.
 * @param user a short hash of host and e-mail
 */
export type OpenUserStores = (user: string) => UserStores
