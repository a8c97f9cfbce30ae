import { AssertionError } from 'node:assert'
import fc from 'fast-check'
import Mocha from 'mocha'
import { noteErrorPlaces, showPlace } from './error-places.ts'
import { limitShrinking } from './shrinking.ts'

// How a failed test is reported: its place, each difference once, and the smallest input of a random test.
noteErrorPlaces()
fc.installGlobalPlugin(limitShrinking())

// Between the line of a test and the one that throws there are more calls than the ten that are shown without it.
Error.stackTraceLimit = 30

/** The method by which mocha notes a failure of a test or a hook; it has no hook of its own for that. */
const runner = Mocha.Runner.prototype as unknown as {
  fail(test: Mocha.Runnable, error: unknown, force?: boolean): void
}
const { fail } = runner
runner.fail = function (test, error, force) {
  showPlace(error, test.file)
  // The message of `assert` has the difference already, unless Node.js 20 has cut it.
  if (error instanceof AssertionError && !error.message.endsWith('...'))
    Object.assign(error, { showDiff: false })
  fail.call(this, test, error, force)
}
