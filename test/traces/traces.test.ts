import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { useFlowHarness } from '../../harness/flow.ts'
import { describeTold, replayTrace } from '../../harness/traces/replay-trace.ts'
import { auditTold } from '../../harness/traces/trace-audit.ts'
import { parseTrace } from '../../src/simulator/trace-replay.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const names = readdirSync(new URL('.', import.meta.url)).flatMap(
  (file) => /^(.*)\.jsonl$/.exec(file)?.[1] ?? [],
)

/** Milliseconds: a day of polls takes seconds, but minutes on a machine that is busy otherwise. */
const longestReplay = 600_000

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
