import type { ApiName } from './auth/tokens.ts'
import { invalidUserToken, sessionExpired } from './error-responses.ts'
import {
  type HttpResponse,
  isResponse,
  methodNotAllowed,
  ok,
  operationNotFound,
  pageNotFound,
} from './http-response.ts'
import type { Operation, Service } from './operation.ts'
import { readBody } from './request-body.ts'

/** The operations of one service, below its base path. */
export interface Api {
  readonly name: ApiName
  /** The path before the version: `/rest_api`. */
  readonly base: string
  readonly versions: readonly string[]
  /** True if GET version lists the versions. */
  readonly isListed: boolean
  readonly operations: readonly Operation[]
}

/** The target of a request. */
type Route =
  | { readonly to: 'version'; readonly name: 'version' }
  | {
      readonly to: 'operation'
      readonly name: string
      readonly api: Api
      readonly operation: Operation
      readonly version: number
      readonly argument: string
    }
  | { readonly to: 'error'; readonly response: HttpResponse }

const routeToError = (response: HttpResponse): Route => ({ to: 'error', response })

/** Finds the operation for `method` and `path` (without query). */
export function findRoute(apis: readonly Api[], method: string, path: string): Route {
  if (path === '/rest_api/version') {
    return method === 'GET' ? { to: 'version', name: 'version' } : routeToError(methodNotAllowed('GET'))
  }
  for (const api of apis) {
    if (!path.startsWith(`${api.base}/`)) continue
    const [version = '', ...rest] = path.slice(api.base.length + 1).split('/')
    if (api.versions.includes(version)) return findOperation(api, Number(version), method, rest.join('/'))
  }
  return routeToError(pageNotFound)
}

function findOperation(api: Api, version: number, method: string, path: string): Route {
  for (const operation of api.operations) {
    const argument = matchArgument(operation, path)
    if (argument === undefined) continue
    if (operation.method !== method) return routeToError(methodNotAllowed(operation.method))
    return { to: 'operation', name: operation.name, api, operation, version, argument }
  }
  return routeToError(operationNotFound)
}

/**
 * Returns the last path segment if the operation has one, otherwise an empty string; undefined: another
 * operation.
 */
function matchArgument(operation: Operation, path: string): string | undefined {
  if (!operation.argument) return path === operation.name ? '' : undefined
  if (!path.startsWith(`${operation.name}/`)) return undefined
  const argument = path.slice(operation.name.length + 1)
  return argument === '' || argument.includes('/') ? undefined : argument
}

/** The parts of a request that its response depends on. */
interface RequestContent {
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
