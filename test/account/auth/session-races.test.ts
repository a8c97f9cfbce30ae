import { testAccountSessions, testTokenHolder } from '../../../harness/properties/session-properties.ts'

testTokenHolder(500)
testAccountSessions(10)
