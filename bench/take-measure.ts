/** A process that takes one measure and ends: none is slower or larger for what others have done before it. */
import { measures } from './measures.ts'

const [place, folder = ''] = process.argv.slice(2)
const measure = await measures[Number(place)]?.load()
const comparisons = await measure?.default({ folder, progress: (what) => process.send?.({ progress: what }) })
process.send?.({ comparisons }, () => process.exit())
