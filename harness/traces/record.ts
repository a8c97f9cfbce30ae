import { writeFile } from 'node:fs/promises'
import { installFakeClock, restoreSystemClock } from '../clock/process-fake-clock.ts'
import { FlowHarness } from '../flow.ts'
import { corpus } from './corpus.ts'
import { recordScene } from './record-trace.ts'
import { scenes } from './scenes.ts'

// Records the simulated traces of the corpus anew: those that are named, or all.
const names = process.argv.slice(2)
installFakeClock()
const harness = new FlowHarness()
for (const scene of scenes) {
  if (names.length > 0 && !names.includes(scene.name)) continue
  const text = await recordScene(harness, scene)
  await writeFile(new URL(`${scene.name}.jsonl`, corpus), text)
  console.log(`${scene.name}: ${text.length} bytes`)
}
restoreSystemClock()
process.exit()
