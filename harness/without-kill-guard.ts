import type { RateLimitStore } from '../src/account/service-user/rate-limit/rate-limit-store.ts'

/** The guards of a process that is never killed. */
export const withoutKillGuard: Pick<RateLimitStore, 'guardKill'> = { guardKill: async () => async () => {} }
