import { peopleOf } from '../../world/users.ts'
import { notAllowed } from '../error-responses.ts'
import { type Answer, isAnswer } from '../http-response.ts'
import type { Service, SessionQuestion } from '../operations/operation.ts'
import { incorrect, integer, readCommand, word } from './command-fields.ts'
import type { CarryOut } from './processes.ts'

/** Value that removes a code (field fact). */
const noCode = '0000'

/** POST set_user_code (field fact): only for the master user, who always has a code; codes are unique. */
export function setUserCode(
  { body, panel, session }: SessionQuestion,
  { accounts: { codes } }: Service,
): CarryOut | Answer {
  const read = readCommand(body, { user_id: integer, user_code: word })
  if (isAnswer(read)) return read
  const { user_id: user, user_code: code } = read.fields
  const people = peopleOf(panel.plan)
  const person = people.find(({ number }) => number === user)
  if (!people.some(({ isMaster, name }) => isMaster && name === session.user)) return notAllowed
  if (!person) return incorrect('user_id')
  if (!/^\d{4}$/.test(code) || (code === noCode && person.isMaster)) return incorrect('user_code')
  return () => {
    const owner = codes.owner(panel, code)
    if (owner !== undefined && owner !== user) return 'CodeInUse'
    if (code === noCode) codes.remove(panel, user)
    else codes.set(panel, user, code)
    return null
  }
}
