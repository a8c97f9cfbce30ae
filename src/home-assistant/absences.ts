/**
 * Knows for how long things are missing in a list that can be thin: now and then a service leaves out some devices. A
 * thing is gone only after lists have lacked it for a while, and it is back with the first list that has it.
 */
export class Absences {
  readonly #missingSince = new Map<string, number>()

  /**
   * Notes a list and returns what is gone.
   * @param known all that was there before
   * @param at arrival of the list, in milliseconds of the monotonic clock
   * @param minAbsence milliseconds between the first and the last of the lists that lack a thing
   */
  note(
    known: Iterable<string>,
    listed: ReadonlySet<string>,
    at: number,
    minAbsence: number,
  ): ReadonlySet<string> {
    const missing = [...known].filter((one) => !listed.has(one))
    for (const one of [...this.#missingSince.keys()])
      if (!missing.includes(one)) this.#missingSince.delete(one)
    for (const one of missing) this.#missingSince.set(one, this.#missingSince.get(one) ?? at)
    return new Set(missing.filter((one) => at - (this.#missingSince.get(one) ?? at) >= minAbsence))
  }
}
