import type { EventEmitter } from 'node:events'
import nodeRed, { type NodeAPI } from 'node-red'
import type { NodeDefinition } from './flow-file.ts'
import { type LogLine, logLevels } from './log-line.ts'
import type { MessageHooks } from './message-hooks.ts'
import type { RegisteredTypes } from './registered-types.ts'
import type { StoredCredentials } from './stored-credentials.ts'

type LogHandler = Pick<EventEmitter, 'emit'>

/** A route of the admin API. */
export interface AdminRoute {
  method: 'get' | 'post' | 'put' | 'delete'
  path: string
  handlers: readonly ((request: never, response: never, next: () => void) => unknown)[]
}

/** The parts of which the object RED is made. */
export interface NodeApiParts {
  settings: object
  events: EventEmitter
  hooks: MessageHooks
  types: RegisteredTypes
  credentials: StoredCredentials
  handlers: Set<LogHandler>
  routes: AdminRoute[]
  /** Returns the text of a key, in the language of the runtime. */
  translate: (key: string, values?: Record<string, string>) => string
  getNode(id: string): unknown
  eachNode(callback: (definition: NodeDefinition) => void): void
  log(line: LogLine): void
  nextId: () => string
}

/** Returns the members of the object RED that nodes use. Only functions without a state are those of Node-RED itself. */
export function createNodeApi(parts: NodeApiParts): NodeAPI {
  const { settings, events, hooks, types, credentials, handlers, routes, translate } = parts
  const write = (level: number) => (msg: unknown) => parts.log({ level, msg })
  const addRoute =
    (method: AdminRoute['method']) =>
    (path: string, ...all: AdminRoute['handlers']) => {
      routes.push({ method, path, handlers: all })
    }
  const api = {
    nodes: {
      registerType: types.register.bind(types),
      createNode: types.beginNode.bind(types),
      getNode: parts.getNode,
      eachNode: parts.eachNode,
      getCredentials: (id: string) => credentials.get(id),
      addCredentials: async (id: string, added: Record<string, unknown>) => credentials.add(id, added),
      deleteCredentials: (id: string) => credentials.delete(id),
    },
    log: {
      ...logLevels,
      error: write(logLevels.ERROR),
      warn: write(logLevels.WARN),
      info: write(logLevels.INFO),
      debug: write(logLevels.DEBUG),
      trace: write(logLevels.TRACE),
      log: parts.log,
      metric: () => false,
      addHandler: (handler: LogHandler) => void handlers.add(handler),
      removeHandler: (handler: LogHandler) => void handlers.delete(handler),
      _: translate,
    },
    settings: createSettings(settings),
    events,
    hooks,
    util: { ...nodeRed.util, generateId: parts.nextId },
    comms: {
      publish: (topic: string, data: unknown, retain: boolean) =>
        events.emit('comms', { topic, data, retain }),
    },
    httpAdmin: {
      get: addRoute('get'),
      post: addRoute('post'),
      put: addRoute('put'),
      delete: addRoute('delete'),
    },
    auth: { needsPermission: () => (_request: unknown, _response: unknown, next: () => void) => next() },
    version: nodeRed.version,
    _: translate,
  }
  return api as unknown as NodeAPI
}

/** Returns the settings of settings.js as properties, and those that nodes may store. */
function createSettings(fixed: object): object {
  const stored = new Map<string, unknown>()
  return {
    ...fixed,
    get: (name: string) => structuredClone((fixed as Record<string, unknown>)[name] ?? stored.get(name)),
    set: async (name: string, value: unknown) => void stored.set(name, structuredClone(value)),
    delete: async (name: string) => void stored.delete(name),
    available: () => true,
  }
}
