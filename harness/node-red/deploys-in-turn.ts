/** The path that is answered when all deploys so far have started their flows. */
export const deployedPath = 'deployed-in-this-node-red'

/**
 * JavaScript for settings.js that lets a deploy begin when the flows of the one before have started.
 *
 * Node-RED answers a deploy before that, and a deploy in between would find half of the flows started.
 */
export const deploysInTurnCode = `
{
  const { events } = require('node:module').createRequire(process.argv[1])('@node-red/util')
  let turn = new Promise((resolve) => events.once('flows:started', resolve))
  const others = module.exports.httpAdminMiddleware ?? ((request, response, next) => next())
  module.exports.httpAdminMiddleware = (request, response, next) => {
    if (request.path === '/${deployedPath}') return turn.then(() => response.json({}))
    if (request.path !== '/flows' || request.method !== 'POST') return others(request, response, next)
    turn = turn.then(() => new Promise((resolve) => {
      events.once('flows:started', resolve)
      // A deploy that is refused or broken off starts nothing.
      response.once('close', () => {
        if (response.writableFinished && response.statusCode < 400) return
        events.off('flows:started', resolve)
        resolve()
      })
      next()
    }))
  }
}
`
