/** A route of Node-RED's admin API. */
export interface AdminRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'USE'
  /** The path in the syntax of express, with `:name` for parameters. */
  path: string
}

/** The path that lists all admin routes of a Node-RED with `routesCode`. */
export const routesPath = 'routes-of-this-node-red'

/**
 * JavaScript for settings.js that adds a route which lists all routes of Node-RED and its nodes, as they were when it was
 * asked first: later, flows may have added routes of their own with an `http in` node.
 *
 * It reads the routes from express: those of the admin API, of nodes in the admin API, and of nodes outside of it. A
 * handler for all paths below its own has the method `USE`.
 */
export const routesCode = `
let routes
const runtime = require('node:module').createRequire(process.argv[1])('@node-red/runtime')
module.exports.httpAdminMiddleware = (request, response, next) => {
  if (request.path !== '/${routesPath}') return next()
  if (routes) return response.json(routes)
  routes = []
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
