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

/**
 * Notes where a wait begins. Returns a function that makes the error of its end in vain: with the lines of the test that
 * waits instead of those of the loop that gives up, and with what happened last.
 */
export function noteWait(): (message: string) => Error {
  const begin = new Error()
  return (message) => {
    const error = new Error([message, ...[...running].flatMap((latest) => latest())].join('\n'))
    const frames = (begin.stack ?? '')
      .split('\n')
      .filter((line) => /^ +at /.test(line) && !ownFrames.test(line))
    error.stack = [`Error: ${error.message}`, ...frames].join('\n')
    return error
  }
}
