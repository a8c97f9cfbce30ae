import type { ApiName } from './auth/tokens.ts'
import { type Answer, noSuchPage, unknownOperation, wrongMethod } from './http-response.ts'
import type { Operation } from './operations/operation.ts'

/** The operations of one service, below its base path. */
export interface Api {
  readonly name: ApiName
  /** The path before the version: `/rest_api`. */
  readonly base: string
  readonly versions: readonly string[]
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
  | { readonly to: 'nowhere'; readonly answer: Answer }

const nowhere = (answer: Answer): Route => ({ to: 'nowhere', answer })

/** Finds the operation for `method` and `path` (without query). */
export function route(apis: readonly Api[], method: string, path: string): Route {
  if (path === '/rest_api/version') {
    return method === 'GET' ? { to: 'version', name: 'version' } : nowhere(wrongMethod('GET'))
  }
  for (const api of apis) {
    if (!path.startsWith(`${api.base}/`)) continue
    const [version = '', ...rest] = path.slice(api.base.length + 1).split('/')
    if (api.versions.includes(version)) return within(api, Number(version), method, rest.join('/'))
  }
  return nowhere(noSuchPage)
}

function within(api: Api, version: number, method: string, asked: string): Route {
  for (const operation of api.operations) {
    const argument = argumentOf(operation, asked)
    if (argument === undefined) continue
    if (operation.method !== method) return nowhere(wrongMethod(operation.method))
    return { to: 'operation', name: operation.name, api, operation, version, argument }
  }
  return nowhere(unknownOperation)
}

/**
 * Returns the last path segment if the operation has one, otherwise an empty string; undefined: another
 * operation.
 */
function argumentOf(operation: Operation, asked: string): string | undefined {
  if (!operation.argument) return asked === operation.name ? '' : undefined
  if (!asked.startsWith(`${operation.name}/`)) return undefined
  const argument = asked.slice(operation.name.length + 1)
  return argument === '' || argument.includes('/') ? undefined : argument
}
