/**
 * What an account is opened for: to work with settings that are deployed, or to try some that are still being typed.
 *
 * A trial shares budget, hold and memory of rejections with the deployed ones, and never makes that memory forget.
 */
export type Purpose = 'deployed' | 'trial'
