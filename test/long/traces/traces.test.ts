import { allTraces, fewTraces, testTraces } from '../../../harness/traces/corpus.ts'

testTraces(allTraces().filter((name) => !fewTraces.includes(name)))
