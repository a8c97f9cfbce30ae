import { deadSession, wrongUserToken } from './error-responses.ts'
import { type Answer, isAnswer, ok } from './http-response.ts'
import type { Service } from './operations/operation.ts'
import { readBody } from './request-body.ts'
import type { Api, Route } from './router.ts'

/** The parts of a request that its response depends on. */
export interface Asked {
  readonly userToken: string
  readonly sessionToken: string
  readonly query: string
  readonly body: string
}

type Way = Extract<Route, { to: 'operation' }>

/** Returns the original response to a request. */
export function respond(service: Service, apis: readonly Api[], way: Route, asked: Asked): Answer {
  if (way.to === 'nowhere') return way.answer
  return way.to === 'version' ? versions(apis) : ask(service, way, asked)
}

/** Checks the credentials that the operation needs (interface specification 5), then runs it. */
function ask(service: Service, { api, operation, version, argument }: Way, asked: Asked): Answer {
  const { accounts } = service
  const { userToken, sessionToken } = asked
  if (operation.needs !== 'nothing' && !accounts.knows(api.name, userToken)) return wrongUserToken
  const read = operation.method === 'POST' ? readBody(asked.body) : { body: {} }
  if (isAnswer(read)) return read
  const question = { version, argument, query: new URLSearchParams(asked.query), body: read.body, userToken }
  if (operation.needs === 'nothing' || operation.needs === 'user token') {
    return operation.answer(question, service)
  }
  const session = accounts.session(userToken, sessionToken)
  if (operation.needs === 'session') {
    if (!session) return deadSession(accounts.expiryAnswer)
    return operation.answer({ ...question, panel: session.panel, session }, service)
  }
  const panel = sessionToken === '' ? accounts.panelMeant(userToken) : session?.panel
  return panel ? operation.answer({ ...question, panel }, service) : deadSession(accounts.expiryAnswer)
}

/** GET version (field fact): the supported versions of the two services. */
function versions(apis: readonly Api[]): Answer {
  const offered = (name: Api['name']) => apis.find((api) => api.name === name)?.versions ?? []
  return ok({
    rest_versions: offered('end user'),
    installer_versions: offered('installer'),
    push_format_versions: ['1.0'],
    dls_versions: ['1.0'],
  })
}
