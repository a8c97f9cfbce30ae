import { fewTraces, testTraces } from '../../harness/traces/corpus.ts'

testTraces(fewTraces)
