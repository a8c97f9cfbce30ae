import fc from 'fast-check'

/**
 * The seed of random tests: the environment variable `SEED`, or the same in every run so that failures are
 * reproducible.
 */
export const seed = Number(process.env.SEED ?? 1)

// For properties that do not pass the seed.
fc.configureGlobal({ seed })
