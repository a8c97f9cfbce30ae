import { inputs } from '../../../harness/mocha/depth.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import { testRecovery } from '../../../harness/properties/recovery-properties.ts'

// In a file of its own, because mocha runs files side by side.
testRecovery(inputs(500), seed + 1)
