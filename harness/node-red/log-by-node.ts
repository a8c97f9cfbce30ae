/** A line of Node-RED's log. */
export interface LogLine {
  /** The node that it is about; missing if it is about none. */
  id?: string
  /** The line as Node-RED prints it, without the time. */
  text: string
}

/** The path that lists the log of a Node-RED with `logCode`. */
export const logPath = 'log-of-this-node-red'

/**
 * JavaScript for settings.js that adds a route which lists all lines of the log, the oldest first, each with its node.
 * A warning of Node.js, an unhandled rejection for example, is a line too.
 */
export const logCode = `
{
  const names = { 10: 'fatal', 20: 'error', 30: 'warn', 40: 'info' }
  const lines = []
  const add = ({ level, id, type, name, msg }) => {
    const about = type ? '[' + type + ':' + (name || id) + '] ' : ''
    lines.push({ id, text: '[' + names[level] + '] ' + about + (msg?.message ?? msg) })
  }
  process.on('warning', (warning) => lines.push({ text: 'Warning: ' + warning.stack }))
  module.exports.logging = { console: { level: 'info' }, byNode: { level: 'info', handler: () => add } }
  const others = module.exports.httpAdminMiddleware ?? ((request, response, next) => next())
  module.exports.httpAdminMiddleware = (request, response, next) => {
    if (request.path === '/${logPath}') response.json(lines)
    else others(request, response, next)
  }
}
`
