import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { toCommonJs } from './common-js.ts'

/** The replacements of Node's own for the modules of a copy. */
export interface Surroundings {
  /** Modules of Node or of packages, by name. */
  readonly modules: Readonly<Record<string, object>>
  readonly setImmediate: (call: (...values: unknown[]) => void, ...values: unknown[]) => void
  /** Returns the next random number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Called with what the process is to do when it ends in an orderly way. */
  readonly onExit?: (callback: () => void) => void
}

/** A compiled module, from which each copy makes its own. */
interface CompiledModule {
  readonly url: string
  readonly evaluate: (
    exports: object,
    require: (name: string) => object,
    url: string,
    setImmediate: Surroundings['setImmediate'],
    math: typeof Math,
    process: NodeJS.Process,
  ) => void
}

const root = new URL('../../../', import.meta.url)

/** By URL. */
const compiled = new Map<string, CompiledModule>()

/** The modules of Node and of packages, by name: all copies share them. */
const shared = new Map<string, object>()

/** Modules that the product never needs in a simulation, or that take long to load. */
const left = new Set(['got', 'ioredis'])

/** Compiles modules and all that they import, once in this process. */
export async function compileProduct(...paths: readonly string[]): Promise<void> {
  const urls = paths.map((path) => new URL(path, root).href)
  for (let url = urls.pop(); url !== undefined; url = urls.pop()) {
    if (compiled.has(url)) continue
    const { body, imports } = toCommonJs(readFileSync(new URL(url), 'utf8'))
    const text = `(function (exports, require, moduleUrl, setImmediate, Math, process) {${body}\n})`
    const evaluate = new Script(text, { filename: fileURLToPath(url) }).runInThisContext()
    compiled.set(url, { url, evaluate })
    for (const name of imports) {
      if (name.startsWith('.')) urls.push(new URL(name, url).href)
      else if (!shared.has(name) && !left.has(name)) shared.set(name, await import(name))
    }
  }
}

/**
 * A copy of the product's modules, as each process has one: its classes, registries and clocks are its own, and it is
 * forgotten with it.
 */
export class ProductCopy {
  readonly #surroundings: Surroundings
  readonly #math: typeof Math
  readonly #process: NodeJS.Process
  readonly #modules = new Map<string, object>()

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
    this.#math = Object.create(Math, { random: { value: surroundings.random } })
    // The product waits for no event of it but the exit.
    const once = (_event: string, callback: () => void) => surroundings.onExit?.(callback)
    this.#process = Object.create(process, { once: { value: once } })
  }

  /**
   * Returns what a module exports. It must be among those that `compileProduct` has compiled.
   * @param path from the root of the project, such as `src/clock.js`
   */
  load<T extends object>(path: string): T {
    return this.#load(new URL(path, root).href) as T
  }

  #load(url: string): object {
    const known = this.#modules.get(url)
    if (known !== undefined) return known
    const module = compiled.get(url)
    if (module === undefined) throw new Error(`not compiled: ${url}`)
    const exports = {}
    this.#modules.set(url, exports)
    const require = (name: string) =>
      name.startsWith('.') ? this.#load(new URL(name, url).href) : this.#import(name)
    module.evaluate(exports, require, url, this.#surroundings.setImmediate, this.#math, this.#process)
    return exports
  }

  #import(name: string): object {
    const found = this.#surroundings.modules[name] ?? shared.get(name)
    if (found === undefined) throw new Error(`no module ${name} in a simulation`)
    return found
  }
}
