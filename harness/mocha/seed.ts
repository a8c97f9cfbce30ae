import fc from 'fast-check'
import { repetitions } from './depth.ts'

/**
 * The seed of random tests: the environment variable `SEED`, which `npm test` sets to a new one and prints, or else the
 * same in every run.
 */
export const seed = Number(process.env.SEED ?? 1)

// For properties that pass no seed, and no number of inputs.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns: repetitions(100, 33) })
