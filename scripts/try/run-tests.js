import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../command.js'

/** From so many files on, processes side by side are worth their start. */
const manyFiles = 8

/** Node 22.18 and later run the TypeScript itself, without its types. */
const runsSources = Boolean(process.features.typescript)

const onlySources = new URL('only-sources.js', import.meta.url).href

/**
 * Compiles the modules without checking types, where Node cannot run their sources.
 * @param {string} root the folder of the project
 * @param {AbortSignal} signal
 */
export async function compile(root, signal) {
  const call = {
    command: process.execPath,
    args: [join(root, 'node_modules/typescript/bin/tsc'), '--noCheck'],
  }
  await run(call, {
    cwd: root,
    signal,
    failure: 'The sources could not be compiled; the lines above say where.',
  })
}

/**
 * Runs test files of one suite with its modules and limits; their output goes to the terminal.
 * @param {string[]} files with the extension `.ts`
 * @param {{ root: string, signal: AbortSignal, configuration: string, reporter: string, needsBuild?: boolean }} options
 *   `configuration` is the path of the suite's; `needsBuild` if a file needs the package, or programs that are compiled
 * @returns {Promise<boolean>} whether all tests passed
 */
export async function runTests(files, { root, signal, configuration, reporter, needsBuild = false }) {
  const fromSources = runsSources && !needsBuild
  if (needsBuild)
    await run(build, { cwd: root, signal, failure: 'The build failed; the lines above say where.' })
  else if (!fromSources) await compile(root, signal)
  const named = (file) => (fromSources ? file.replace(/\.js$/, '.ts') : file.replace(/\.ts$/, '.js'))
  const { modules, options } = await readConfiguration(join(root, configuration))
  const args = [
    ...['--no-config', '--exit', '--reporter', reporter, ...options],
    ...modules.flatMap((module) => ['--require', `./${named(module)}`]),
    ...(files.length < manyFiles ? [] : ['--parallel', '--jobs', String(availableParallelism())]),
    ...files.map(named),
  ]
  const child = spawn(process.execPath, [mocha, ...args], {
    cwd: root,
    signal,
    stdio: 'inherit',
    env: { ...process.env, ...(fromSources && sourceEnvironment(root)), SEED: process.env.SEED ?? '1' },
  })
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0))
  })
}

const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
const build = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../build/build.js', import.meta.url)), '--changed'],
}

/**
 * Reads what the configuration of a suite tells mocha, but for its files: the modules, and the rest as options of the command
 * line. A single test may be selected with `only` here.
 */
async function readConfiguration(path) {
  const configuration = JSON.parse(await readFile(path, 'utf8'))
  const { spec, require: modules = [], parallel, jobs, 'forbid-only': _, ...others } = configuration
  const options = Object.entries(others).map(([name, value]) => {
    if (typeof value === 'boolean') return value ? `--${name}` : `--no-${name}`
    return `--${name}=${value}`
  })
  return { modules, options }
}

/** The environment of tests that run from the TypeScript: Node keeps it without its types, and says nothing about that. */
function sourceEnvironment(root) {
  const { NODE_OPTIONS = '', NODE_COMPILE_CACHE } = process.env
  return {
    NODE_OPTIONS: `${NODE_OPTIONS} --disable-warning=ExperimentalWarning --import=${onlySources}`.trim(),
    NODE_COMPILE_CACHE: NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/keyholder-compiled'),
  }
}
