/**
 * The current values that become messages: all, the changed ones, or none; they are remembered in any case.
 */
export type Which = 'all' | 'changed' | 'none'
