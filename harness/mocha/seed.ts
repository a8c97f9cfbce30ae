import fc from 'fast-check'

/**
 * The seed of random tests: the environment variable `SEED`, which `npm test` sets to a new one and prints, or else the
 * same in every run.
 */
export const seed = Number(process.env.SEED ?? 1)

// For properties that do not pass the seed.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
