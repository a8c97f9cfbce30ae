import { parseArgs } from 'node:util'
import { type KindOfHouses, kindsOfHouses } from '../arbitraries/any-house.ts'
import type { Life } from '../life.ts'
import { commandOfSeed, drawLife } from './drawn-life.ts'
import { describeFailure, liveToItsEnd, shrinkFailingLife } from './failing-life.ts'

// `npm run simulate`: lives the lives of seeds, and tells the story of each in which something untrue was told.

const options = {
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '1' },
  kind: { type: 'string', default: 'houses' },
} as const

const { values } = parseArgs({ options })
const [seed, count] = [Number(values.seed), Number(values.count)]
const kind = values.kind as KindOfHouses
if (!(kind in kindsOfHouses)) throw new Error(`No houses are named "${kind}".`)
const begin = process.cpuUsage()
let failed = 0
for (let one = seed; one < seed + count; one += 1) {
  const life: Life = drawLife(kind, one)
  const lived = await liveToItsEnd(life)
  if (lived.untrue.length === 0) continue
  failed += 1
  const shrunk = await shrinkFailingLife({ life, lived }, () => process.stderr.write('.'))
  console.log(`\n${describeFailure(shrunk, commandOfSeed(kind, one))}\n`)
}
const { user, system } = process.cpuUsage(begin)
const seconds = (user + system) / 1e6
console.log(
  `${count} seeds, ${failed} failed, ${seconds.toFixed(1)} processor seconds, ${Math.round((count / seconds) * 3600)} seeds an hour`,
)
process.exit(failed > 0 ? 1 : 0)
