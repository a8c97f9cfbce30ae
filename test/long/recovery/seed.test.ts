import { inputs } from '../../../harness/mocha/depth.ts'
import { testRecovery } from '../../../harness/properties/recovery-properties.ts'

testRecovery(inputs(500))
