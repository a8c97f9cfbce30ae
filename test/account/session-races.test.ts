import { checkAccount, checkSession } from './session-races-property.ts'

checkSession(500)
checkAccount(10)
