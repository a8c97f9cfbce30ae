import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { parseTrace } from '../../src/simulator/trace-replay.ts'
import { useFlowHarness } from '../flow.ts'
import { describeTold, replayTrace } from './replay-trace.ts'
import { auditTold } from './trace-audit.ts'

/** The folder with what services answered. */
export const corpus = new URL('../../test/traces/', import.meta.url)

/**
 * The traces that `npm test` replays: an alarm, a service that refuses, an installer, and a service that has only what is
 * specified. All others are replayed in the long suite.
 */
export const fewTraces: readonly string[] = ['burglary', 'installer', 'rate-limited', 'specification-only']

/** Milliseconds: a day of polls takes seconds, but minutes on a machine that is busy otherwise. */
const longestReplay = 600_000

/** Returns the names of all traces in the corpus. */
export function allTraces(): string[] {
  return readdirSync(corpus).flatMap((file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? [])
}

/** Adds a test of the replay of each of these traces. */
export function testTraces(names: readonly string[]): void {
  const read = (file: string) => readFileSync(new URL(file, corpus), 'utf8')

  describe('The trace', () => {
    const harness = useFlowHarness()

    for (const name of names)
      it(`${name}, replayed, lets the nodes lose, repeat and invent nothing, and tell what was reviewed`, async () => {
        const trace = parseTrace(read(`${name}.jsonl`))
        const told = await replayTrace(harness, trace)
        assert.deepEqual(auditTold(trace, told), [])
        // If the difference is right, npm run traces:rewrite writes it: see docs/traces.md.
        assert.equal(describeTold(told, trace.startedAt), read(`${name}.txt`))
      }).timeout(longestReplay)
  })
}
