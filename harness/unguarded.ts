import type { RateLimitStore } from '../src/account/rate-limit/rate-limit-store.ts'

/** The guards of a process that is never killed. */
export const unguarded: Pick<RateLimitStore, 'guardKill'> = { guardKill: async () => async () => {} }
