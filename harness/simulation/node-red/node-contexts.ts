import nodeRed, { type NodeContext } from 'node-red'

type Callback = (error: unknown, ...values: unknown[]) => void
type Key = string | string[]

const { util } = nodeRed

/** The contexts of nodes, of tabs and of all flows, in memory as by default in Node-RED. */
export class NodeContexts {
  /** The values by `<node>:<tab>`, tab or `global`. */
  readonly #values = new Map<string, object>()

  /** Returns the contexts of a node. */
  of(id: string, tab: string | undefined): NodeContext {
    const context = Object.assign(this.#access(scopeOf(id, tab)), {
      global: this.#access('global'),
      ...(tab && { flow: this.#access(tab) }),
    })
    return context as unknown as NodeContext
  }

  /** Deletes the context of a node: one that is closed has none when it starts anew. */
  delete(id: string, tab: string | undefined): void {
    this.#values.delete(scopeOf(id, tab))
  }

  /** Deletes the contexts of the nodes and tabs that a flow file no longer has. */
  clean(known: ReadonlyMap<string, unknown>): void {
    for (const scope of [...this.#values.keys()]) {
      const [id = ''] = scope.split(':')
      if (id !== 'global' && !known.has(id)) this.#values.delete(scope)
    }
  }

  #access(scope: string) {
    const read = (key: string): unknown => {
      const values = this.#values.get(scope)
      try {
        return values && util.getObjectProperty(values as never, util.parseContextStore(key).key)
      } catch (thrown) {
        if ((thrown as { code?: string }).code === 'INVALID_EXPR') throw thrown
        return undefined
      }
    }
    const write = (key: string, value: unknown): void => {
      const values = this.#values.get(scope) ?? {}
      this.#values.set(scope, values)
      util.setObjectProperty(values as never, util.parseContextStore(key).key, value)
    }
    return {
      get: (key: Key, ...rest: unknown[]) =>
        answer(rest, Array.isArray(key), () => (Array.isArray(key) ? key.map(read) : read(key))),
      set: (key: Key, value: unknown, ...rest: unknown[]) =>
        answer(rest, false, () => {
          if (!Array.isArray(key)) return write(key, value)
          const all = Array.isArray(value) ? value : [value]
          for (const [index, one] of key.entries()) write(one, all[index] ?? null)
        }),
      keys: (...rest: unknown[]) => answer(rest, false, () => Object.keys(this.#values.get(scope) ?? {})),
    }
  }
}

/** Returns a value or its error, or calls the callback with it if the last parameter is one. */
function answer(parameters: unknown[], isList: boolean, getValue: () => unknown): unknown {
  const callback = parameters.find((one): one is Callback => typeof one === 'function')
  if (!callback) return getValue()
  let value: unknown
  try {
    value = getValue()
  } catch (thrown) {
    return void callback(thrown)
  }
  if (isList) callback(undefined, ...(value as unknown[]))
  else callback(undefined, value)
}

function scopeOf(id: string, tab: string | undefined): string {
  return tab ? `${id}:${tab}` : id
}
