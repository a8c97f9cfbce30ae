import type { Node, NodeAPI } from 'node-red'
import type { RequestLog } from '../../src/account/requests/request-log.ts'

/** The part of settings.js that sets what Node-RED logs, by the name of the log. */
interface LogSettings {
  logging?: Record<string, { level?: string } | undefined>
}

/**
 * Returns the log of an account's requests, with the levels that a log in settings.js has turned on.
 * @param target the node that the lines belong to, or the log of Node-RED itself
 */
export function requestLog(RED: NodeAPI, target: Pick<Node, 'debug' | 'trace'>): RequestLog {
  const { logging = {} } = RED.settings as LogSettings
  const levels = Object.values(logging ?? {}).map((log) => log?.level)
  const isTracing = levels.includes('trace')
  return {
    ...(isTracing || levels.includes('debug') ? { debug: (line) => target.debug(line) } : {}),
    ...(isTracing ? { trace: (line) => target.trace(line) } : {}),
  }
}
