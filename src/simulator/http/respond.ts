import { invalidUserToken, sessionExpired } from './error-responses.ts'
import { type HttpResponse, isResponse, ok, pageNotFound } from './http-response.ts'
import type { Service } from './operation.ts'
import { readBody } from './request-body.ts'
import type { Api, Route } from './router.ts'

/** The parts of a request that its response depends on. */
export interface RequestContent {
  readonly userToken: string
  readonly sessionToken: string
  readonly query: string
  readonly body: string
}

type OperationRoute = Extract<Route, { to: 'operation' }>

/** Returns the original response to a request. */
export function respond(
  service: Service,
  apis: readonly Api[],
  route: Route,
  content: RequestContent,
): HttpResponse {
  if (route.to === 'error') return route.response
  return route.to === 'version' ? listVersions(apis) : runOperation(service, route, content)
}

/** Checks the credentials that the operation needs (interface specification 5), then runs it. */
function runOperation(
  service: Service,
  { api, operation, version, argument }: OperationRoute,
  content: RequestContent,
): HttpResponse {
  const { accounts } = service
  const { userToken, sessionToken } = content
  if (operation.needs !== 'nothing' && !accounts.hasUserToken(api.name, userToken)) return invalidUserToken
  const body = operation.method === 'POST' ? readBody(content.body) : { body: {} }
  if (isResponse(body)) return body
  const request = { version, argument, query: new URLSearchParams(content.query), body: body.body, userToken }
  if (operation.needs === 'nothing' || operation.needs === 'user token') {
    return operation.answer(request, service)
  }
  const session = accounts.session(userToken, sessionToken)
  if (operation.needs === 'session') {
    if (!session) return sessionExpired(accounts.expiryStatus)
    return operation.answer({ ...request, panel: session.panel, session }, service)
  }
  const panel = sessionToken === '' ? accounts.findDefaultPanel(userToken) : session?.panel
  return panel ? operation.answer({ ...request, panel }, service) : sessionExpired(accounts.expiryStatus)
}

/** GET version (field fact): the supported versions of the two services. */
function listVersions(apis: readonly Api[]): HttpResponse {
  if (!apis.some(({ isListed }) => isListed)) return pageNotFound
  const versionsOf = (name: Api['name']) => apis.find((api) => api.name === name)?.versions ?? []
  return ok({
    rest_versions: versionsOf('end user'),
    installer_versions: versionsOf('installer'),
    push_format_versions: ['1.0'],
    dls_versions: ['1.0'],
  })
}
