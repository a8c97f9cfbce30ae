import { checkAccount, checkSession } from '../../harness/properties/session-properties.ts'

checkSession(5000)
checkAccount(100)
