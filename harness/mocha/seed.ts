import fc from 'fast-check'

/** What random tests begin with: the same in every run, so that a failure comes again, or what `SEED` says. */
export const seed = Number(process.env.SEED ?? 1)

// For the properties that do not name it.
fc.configureGlobal({ seed })
