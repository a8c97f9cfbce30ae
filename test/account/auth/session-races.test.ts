import { checkAccount, checkSession } from '../../../harness/properties/session-properties.ts'

checkSession(500)
checkAccount(10)
