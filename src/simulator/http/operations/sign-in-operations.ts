import type { ApiName } from '../auth/tokens.ts'
import { signInError } from '../error-responses.ts'
import { type HttpResponse, isResponse, ok } from '../http-response.ts'
import type { Operation, OperationRequest, Service } from '../operation.ts'
import { readFields } from '../request-body.ts'

/** The differences between the sign-ins of the two services. */
export interface SignInVariant {
  readonly api: ApiName
  /** Fields that identify the device that signs in: the first one is its id; all are required. */
  readonly deviceFields: readonly [string, ...string[]]
  /** The field for the code that opens a panel. */
  readonly codeField: string
  /** The fields in a sign-in response other than the user token. */
  signInFields(version: number, service: Service): object
}

const minCodeLength = 4

/**
 * POST auth and POST panel/login of one service (interface specification 4.1, 4.2; panel/login is a field
 * fact).
 */
export function createSignInOperations(variant: SignInVariant): readonly Operation[] {
  return [
    { name: 'auth', method: 'POST', needs: 'nothing', answer: createSignIn(variant) },
    { name: 'panel/login', method: 'POST', needs: 'user token', answer: createPanelLogin(variant) },
  ]
}

function createSignIn({
  api,
  deviceFields,
  signInFields,
}: SignInVariant): (request: OperationRequest, service: Service) => HttpResponse {
  const required = Object.fromEntries(['email', 'password', ...deviceFields].map((field) => [field, 1]))
  return ({ body, version }, service) => {
    const read = readFields(body, required)
    if (isResponse(read)) return read
    const { accounts } = service
    const { text } = read
    const signedIn = accounts.signIn(api, text('email'), text('password'), text(deviceFields[0]))
    if (typeof signedIn === 'string') return signInError(signedIn, accounts.blockedSeconds)
    return ok({ user_token: signedIn.token, ...signInFields(version, service) })
  }
}

function createPanelLogin({
  api,
  codeField,
}: SignInVariant): (request: OperationRequest, service: Service) => HttpResponse {
  return ({ body, userToken }, { accounts }) => {
    const read = readFields(body, { panel_serial: 1, [codeField]: minCodeLength, app_id: 1 })
    if (isResponse(read)) return read
    const { text } = read
    const login = { userToken, serial: text('panel_serial'), code: text(codeField), appId: text('app_id') }
    const loggedIn = accounts.logIn(api, login)
    if (typeof loggedIn === 'string') return signInError(loggedIn, accounts.blockedSeconds, codeField)
    return ok({ session_token: loggedIn.token })
  }
}
