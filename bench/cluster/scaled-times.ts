/** The times of the membership, scaled so that a lease has the same share in an interval of four seconds as in one of 17. */
export const scaledMembership = { heartbeat: 120, lease: 1200, validity: 960 } as const

/** The times of a cluster for a benchmark that cannot take an hour. */
export const scaledTimes = {
  quiet: { blank: 0, other: 0 },
  membership: scaledMembership,
} as const
