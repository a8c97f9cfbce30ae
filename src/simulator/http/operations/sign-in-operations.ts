import type { ApiName } from '../auth/tokens.ts'
import { refusedSignIn } from '../error-responses.ts'
import { type Answer, isAnswer, ok } from '../http-response.ts'
import { readFields } from '../request-body.ts'
import type { Operation, Question, Service } from './operation.ts'

/** The differences between the sign-ins of the two services. */
export interface SignInVariant {
  readonly api: ApiName
  /** Fields that identify the device that signs in: the first one is its id; all are required. */
  readonly device: readonly [string, ...string[]]
  /** The field for the code that opens a panel. */
  readonly code: string
  /** The fields in a sign-in response besides the user token. */
  welcome(version: number, service: Service): object
}

const minCodeLength = 4

/** POST auth and POST panel/login of one service (interface specification 4.1, 4.2; panel/login is a field fact). */
export function signInOperations(variant: SignInVariant): readonly Operation[] {
  return [
    { name: 'auth', method: 'POST', needs: 'nothing', answer: signIn(variant) },
    { name: 'panel/login', method: 'POST', needs: 'user token', answer: logIn(variant) },
  ]
}

function signIn({ api, device, welcome }: SignInVariant): (question: Question, service: Service) => Answer {
  const required = Object.fromEntries(['email', 'password', ...device].map((field) => [field, 1]))
  return ({ body, version }, service) => {
    const read = readFields(body, required)
    if (isAnswer(read)) return read
    const { accounts } = service
    const { text } = read
    const signedIn = accounts.signIn(api, text('email'), text('password'), text(device[0]))
    if (typeof signedIn === 'string') return refusedSignIn(signedIn, accounts.blockedFor)
    return ok({ user_token: signedIn.token, ...welcome(version, service) })
  }
}

function logIn({ api, code }: SignInVariant): (question: Question, service: Service) => Answer {
  return ({ body, userToken }, { accounts }) => {
    const read = readFields(body, { panel_serial: 1, [code]: minCodeLength, app_id: 1 })
    if (isAnswer(read)) return read
    const { text } = read
    const asked = { userToken, serial: text('panel_serial'), code: text(code), appId: text('app_id') }
    const loggedIn = accounts.logIn(api, asked)
    if (typeof loggedIn === 'string') return refusedSignIn(loggedIn, accounts.blockedFor, code)
    return ok({ session_token: loggedIn.token })
  }
}
