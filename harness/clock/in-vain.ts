/** Returns lines about what happened last in something that runs, the oldest first. */
type Latest = () => readonly string[]

const running = new Set<Latest>()

/** Shows what happened last in something that runs when a wait ends in vain, until the function that it returns is called. */
export function showInVain(latest: Latest): () => void {
  running.add(latest)
  return () => running.delete(latest)
}

/** The frames of the waits themselves, which say nothing about the test. */
const ownFrames = /\/harness\/(clock\/|recorder\.)/

/** Returns the lines of a stack that name calls: those of a test and of what it called. */
export function callsIn({ stack = '' }: { stack?: string }): string[] {
  return stack.split('\n').filter((line) => /^ +at /.test(line) && !ownFrames.test(line))
}

/**
 * Notes where a wait begins. Returns a function that makes the error of its end in vain: with the lines of the test that
 * waits instead of those of the loop that gives up, and with what happened last.
 */
export function noteWait(): (message: string) => Error {
  const begin = new Error()
  return (message) => {
    const error = new Error([message, ...[...running].flatMap((latest) => latest())].join('\n'))
    error.stack = [`Error: ${error.message}`, ...callsIn(begin)].join('\n')
    return error
  }
}

/** The waits that ended with an error. */
const waits = new WeakMap<object, Error>()

/** Notes where the wait begins that may end with an error of somebody else; returns a function that is told the error. */
export function noteWaitForResult(): (thrown: unknown) => void {
  const begin = new Error()
  return (thrown) => {
    if (thrown instanceof Error) waits.set(thrown, begin)
  }
}

/** Returns the calls that lead to the wait that ended with an error, for its report; none if no wait is known. */
export function callsOfWait(error: Error): string[] {
  const begin = waits.get(error)
  return begin === undefined ? [] : callsIn(begin)
}
