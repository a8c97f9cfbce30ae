import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseTrace } from '../../src/simulator/trace-replay.ts'
import { installFakeClock } from '../clock/process-fake-clock.ts'
import { FlowHarness } from '../flow.ts'
import { describeTold, replayTrace } from './replay-trace.ts'
import { auditTold } from './trace-audit.ts'

// Writes beside each trace what the nodes tell now. Review the difference before you commit it.
const folder = new URL('../../test/traces/', import.meta.url)
installFakeClock()
for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
  const harness = new FlowHarness()
  const trace = parseTrace(readFileSync(new URL(file, folder), 'utf8'))
  const told = await replayTrace(harness, trace)
  await harness.close()
  for (const problem of auditTold(trace, told)) console.log(`${file}: ${problem}`)
  writeFileSync(new URL(file.replace(/jsonl$/, 'txt'), folder), describeTold(told, trace.startedAt))
}
process.exit()
