import { testAccountSessions, testTokenHolder } from '../../../harness/properties/session-properties.ts'

testTokenHolder(100)
testAccountSessions(5)
