import { testRecovery } from '../../harness/properties/recovery-properties.ts'

testRecovery(10)
