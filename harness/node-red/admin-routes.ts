/** A route of Node-RED's admin side. */
export interface AdminRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'USE'
  /** As express was given it, with `:name` for what varies. */
  path: string
}

/** The path at which a Node-RED with `routesCode` tells all its admin routes. */
export const routesPath = 'routes-of-this-node-red'

/**
 * JavaScript for settings.js with which a Node-RED tells every route that anybody has added to it.
 *
 * It reads what express has, so that no list of routes has to be kept anywhere: of the admin side itself, of what nodes
 * add to it, and of what they add for everybody. A handler for all paths below its own has the method `USE`.
 */
export const routesCode = `
const runtime = require('node:module').createRequire(process.argv[1])('@node-red/runtime')
module.exports.httpAdminMiddleware = (request, response, next) => {
  if (request.path !== '/${routesPath}') return next()
  const routes = []
  const walk = (stack, base) => {
    for (const { route, handle, regexp } of stack) {
      for (const path of route ? [route.path].flat() : []) {
        for (const method of Object.keys(route.methods)) routes.push({ method: method.toUpperCase(), path: base + path })
      }
      if (route) continue
      const path = base + (regexp.fast_slash ? '' : regexp)
      if (handle.stack) walk(handle.stack, path)
      else routes.push({ method: 'USE', path })
    }
  }
  for (const app of [request.app, runtime.httpAdmin, runtime.httpNode]) walk(app._router?.stack ?? [], '')
  response.json(routes)
}
`
