/** What random tests begin with: the same in every run, so that a failure comes again, or what `SEED` says. */
export const seed = Number(process.env.SEED ?? 1)
