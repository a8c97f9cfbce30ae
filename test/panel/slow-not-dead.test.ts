import { testSlowness } from '../../harness/properties/slowness-properties.ts'

testSlowness(2)
