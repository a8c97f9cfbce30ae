import { readFileSync, writeFileSync } from 'node:fs'
import { parseTrace } from '../../src/simulator/trace-replay.ts'
import { installFakeClock } from '../clock/process-fake-clock.ts'
import { FlowHarness } from '../flow.ts'
import { allTraces, corpus } from './corpus.ts'
import { describeTold, replayTrace } from './replay-trace.ts'
import { auditTold } from './trace-audit.ts'

// Writes beside each trace what the nodes tell now. Review the difference before you commit it.
installFakeClock()
for (const name of allTraces()) {
  const harness = new FlowHarness()
  const trace = parseTrace(readFileSync(new URL(`${name}.jsonl`, corpus), 'utf8'))
  const told = await replayTrace(harness, trace)
  await harness.close()
  for (const problem of auditTold(trace, told)) console.log(`${name}: ${problem}`)
  writeFileSync(new URL(`${name}.txt`, corpus), describeTold(told, trace.startedAt))
}
process.exit()
