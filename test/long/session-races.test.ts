import { checkAccount, checkSession } from '../account/session-races-property.ts'

checkSession(5000)
checkAccount(100)
