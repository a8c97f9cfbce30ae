/** A process that runs one benchmark and ends, so that earlier benchmarks do not affect the result. */
import { benchmarks } from './benchmarks.ts'

const [place, folder = ''] = process.argv.slice(2)
const benchmark = await benchmarks[Number(place)]?.load()
const comparisons = await benchmark?.default({
  folder,
  progress: (what) => process.send?.({ progress: what }),
})
process.send?.({ comparisons }, () => process.exit())
