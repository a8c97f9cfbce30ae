import assert from 'node:assert/strict'

/** One opened store, as one process has it. */
export interface Instance<S> {
  readonly stores: S
  /** Ends the process without a chance to say anything. */
  kill(): Promise<void>
}

/** The way to surroundings in which the promises of stores are tested. */
export interface Testbeds<S> {
  /**
   * The number of instances that may be open at the same time, 1 or at least 3; with 1, the one before must be killed
   * first.
   */
  readonly maxInstances: number
  start(): Promise<Testbed<S>>
}

/** The surroundings of one test: a process and its files, or several processes and a server. */
export interface Testbed<S> {
  /** Milliseconds for which an attempt counts after its end: a minute, or less if time cannot be driven. */
  readonly window: number
  /** Milliseconds of the clock of the instances. */
  now(): number
  advance(ms: number): Promise<void>
  /** Opens the same stores once more. */
  open(): Promise<Instance<S>>
  close(): Promise<void>
}

/** Advances the time until a condition holds; fails after ten windows. */
export async function waitUntil(testbed: Testbed<unknown>, isTrue: () => boolean): Promise<void> {
  for (let steps = 0; steps < 1000 && !isTrue(); steps += 1) await testbed.advance(testbed.window / 100)
  assert.ok(isTrue(), 'it never happened')
}

/** Opens stores in place of an instance that is killed, as the next process does. */
export async function reopen<S>(testbed: Testbed<S>, before: Instance<S>): Promise<Instance<S>> {
  await before.kill()
  return testbed.open()
}

/**
 * Adds tests that need a testbed of their own each.
 * @param add adds them; the function that it gets returns the testbed of the running test
 */
export function withTestbed<S>(start: Testbeds<S>['start'], add: (testbed: () => Testbed<S>) => void): void {
  let current: Testbed<S> | undefined
  beforeEach(async () => {
    current = await start()
  })
  afterEach(() => current?.close())
  add(() => {
    assert.ok(current)
    return current
  })
}
