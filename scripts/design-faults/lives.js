// Lives random lives in the copy of the project that it is started in, and writes the result as JSON: of all lives, what is to be
// known without any fault; or the first that tells something untrue which is true without the fault.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [count, kinds, soundFile] = process.argv.slice(2)
const load = (name) =>
  import(pathToFileURL(join(process.cwd(), `harness/simulation/stories/${name}.js`)).href)
const { drawLife } = await load('drawn-life')
const { liveToItsEnd } = await load('failing-life')

const lives = Array.from({ length: Number(count) }, (_, nth) => nth + 1).flatMap((seed) =>
  JSON.parse(kinds).map((kind) => ({ seed, kind })),
)
const result = soundFile === undefined ? await liveAll() : await liveUntilUntrue()
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0))

async function liveAll() {
  const all = []
  for (const { seed, kind } of lives) {
    const { untrue, record } = await liveToItsEnd(drawLife(kind, seed))
    all.push({ digest: record.digest, isTrue: untrue.length === 0 })
  }
  return all
}

async function liveUntilUntrue() {
  const sound = JSON.parse(readFileSync(soundFile, 'utf8'))
  let changed = 0
  for (const [nth, { seed, kind }] of lives.entries()) {
    const { digest, isTrue } = sound[nth]
    if (!isTrue) continue
    const { untrue, record } = await liveToItsEnd(drawLife(kind, seed))
    if (untrue.length > 0) return { first: seed, kind, says: untrue[0].subject }
    if (record.digest !== digest) changed += 1
  }
  return { first: null, changed }
}
