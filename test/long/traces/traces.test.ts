import { isDeep } from '../../../harness/mocha/depth.ts'
import { allTraces, fewTraces, testTraces } from '../../../harness/traces/corpus.ts'

/** Takes more than all others together. */
const day = 'quiet-day'

testTraces(allTraces().filter((name) => !fewTraces.includes(name) && (isDeep || name !== day)))
