import { testAccountSessions, testTokenHolder } from '../../harness/properties/session-properties.ts'

testTokenHolder(5000)
testAccountSessions(100)
