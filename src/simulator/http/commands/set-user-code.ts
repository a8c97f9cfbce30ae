import { listUsers } from '../../world/users.ts'
import { notAllowed } from '../error-responses.ts'
import { type HttpResponse, isResponse } from '../http-response.ts'
import type { Service, SessionRequest } from '../operations/operation.ts'
import { incorrectField, integer, readCommand, string } from './command-fields.ts'
import type { CommandExecutor } from './processes.ts'

/** Value that removes a code (field fact). */
const noCode = '0000'

/** POST set_user_code (field fact): only for the master user, who always has a code; codes are unique. */
export function setUserCode(
  { body, panel, session }: SessionRequest,
  { accounts: { codes } }: Service,
): CommandExecutor | HttpResponse {
  const read = readCommand(body, { user_id: integer, user_code: string })
  if (isResponse(read)) return read
  const { user_id: user, user_code: code } = read.fields
  const people = listUsers(panel.plan)
  const person = people.find(({ number }) => number === user)
  if (!people.some(({ isMaster, name }) => isMaster && name === session.user)) return notAllowed
  if (!person) return incorrectField('user_id')
  if (!/^\d{4}$/.test(code) || (code === noCode && person.isMaster)) return incorrectField('user_code')
  return () => {
    const owner = codes.findUser(panel, code)
    if (owner !== undefined && owner !== user) return 'CodeInUse'
    if (code === noCode) codes.remove(panel, user)
    else codes.set(panel, user, code)
    return null
  }
}
