import fc from 'fast-check'

/** Milliseconds of real time for which a smaller input is sought that fails, too. */
const longest = 20_000

/**
 * Ends the search for a smaller input some time after the first failure; a life of minutes would be lived hundreds of times.
 * The time changes no result: only a test that has failed already is affected.
 */
export function limitShrinking(ms = longest): fc.Plugin<unknown> {
  return () => {
    let latest = Number.POSITIVE_INFINITY
    const note = <T>(outcome: T): T => {
      if (outcome !== null && !fc.PreconditionFailure.isFailure(outcome))
        latest = Math.min(latest, performance.now() + ms)
      return outcome
    }
    return {
      decorateRun: (run) => (value) => {
        if (performance.now() >= latest) return new fc.PreconditionFailure(true)
        const outcome = run(value)
        return outcome instanceof Promise ? outcome.then(note) : note(outcome)
      },
    }
  }
}
