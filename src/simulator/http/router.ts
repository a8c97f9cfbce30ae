import type { ApiName } from './auth/tokens.ts'
import { type HttpResponse, methodNotAllowed, operationNotFound, pageNotFound } from './http-response.ts'
import type { Operation } from './operation.ts'

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
export type Route =
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
