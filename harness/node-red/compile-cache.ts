/**
 * Loaded by each Node-RED of a test before all else: keeps the compiled code of packages in a file, because compiling takes
 * an eighth of the processor time until its flows run. Node 22 and later can do so themselves.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'

/** The parts of Node's modules that are not documented. */
interface ModuleInternals {
  prototype: { _compile(content: string, filename: string, format?: string): unknown }
  wrap(content: string): string
  _resolveFilename(request: string, from: NodeModule, isMain: boolean, options?: object): string
  _cache: unknown
  _extensions: unknown
  enableCompileCache?(folder: string): unknown
}

/** The place of the compiled code of a file behind the index, in bytes, and the number of characters that were compiled. */
type Entry = [file: string, from: number, to: number, length: number]

const internals = Module as unknown as ModuleInternals
const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const folder = join(packages, '.cache/keyholder-compiled')

if (internals.enableCompileCache) internals.enableCompileCache(folder)
else keepCompiledCode()

function keepCompiledCode(): void {
  const path = join(folder, `${process.version} ${timeOfInstallation()}`)
  const known = readCompiled(path)
  const compiled: [file: string, content: string, script: Script][] = []
  const compile = internals.prototype._compile
  internals.prototype._compile = function (this: NodeModule, content, filename, format) {
    // A shebang is no JavaScript inside of a function.
    if (!filename.startsWith(packages) || format === 'module' || content.startsWith('#!'))
      return compile.call(this, content, filename, format)
    const file = relative(packages, filename)
    const cachedData = known?.get(file, content)
    const script = new Script(internals.wrap(content), {
      filename,
      ...(cachedData && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
    if (known === undefined) compiled.push([file, content, script])
    const run = script.runInThisContext()
    return run.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename))
  }
  // By then, it has the code of all functions that have run.
  if (known === undefined) process.once('exit', () => writeCompiled(path, compiled))
}

/** npm writes this file whenever it changes packages. */
function timeOfInstallation(): number {
  return statSync(join(packages, '.package-lock.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function requireOf(module: NodeModule): object {
  const require = (id: string) => module.require(id)
  const resolve = (request: string, options?: object) =>
    internals._resolveFilename(request, module, false, options)
  const { _cache: cache, _extensions: extensions } = internals
  return Object.assign(require, { resolve, main: process.mainModule, cache, extensions })
}

/** Returns a way to the code in a file; undefined if there is none. */
function readCompiled(path: string) {
  try {
    const data = readFileSync(path)
    const begin = data.indexOf('\n') + 1
    const entries: Entry[] = JSON.parse(data.toString('utf8', 0, begin))
    const places = new Map(entries.map(([file, ...place]) => [file, place]))
    return {
      get(file: string, content: string): Buffer | undefined {
        const [from = 0, to = 0, length] = places.get(file) ?? []
        return content.length === length ? data.subarray(begin + from, begin + to) : undefined
      },
    }
  } catch {
    return undefined
  }
}

function writeCompiled(path: string, compiled: readonly [string, string, Script][]): void {
  const codes = compiled.map(([, , script]) => script.createCachedData())
  let at = 0
  const entries = compiled.map(([file, content], place): Entry => {
    const from = at
    at += codes[place]?.length ?? 0
    return [file, from, at, content.length]
  })
  mkdirSync(folder, { recursive: true })
  // Whole at once, because others may read it.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...codes]))
  renameSync(draft, path)
}
