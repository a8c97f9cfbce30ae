import { keepRecord } from './suite-record.ts'

/** Loaded by mocha into each process of a suite. */
export const mochaHooks = keepRecord()
