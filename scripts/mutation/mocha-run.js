import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
/** Least time limit in milliseconds for a test, and for the start of a process. */
const minLimit = 20_000

/**
 * Runs test files in a process of its own up to the first failure.
 * @param {string[]} files
 * @param {{ root: string, signal: AbortSignal, slowest: number, modules?: string[], env?: object }} options `slowest`
 *   is how many milliseconds the slowest of the files takes when nothing is wrong, `Infinity` if time shall end none of them;
 *   `modules` are loaded before the tests
 * @returns {Promise<{ outcome: 'passed' | 'failed' | 'timed out', output: string, ms: number }>}
 */
export async function runTests(files, { root, signal, slowest, modules = [], env = {} }) {
  const limit = slowest === Infinity ? 0 : Math.ceil(minLimit + 4 * slowest)
  const required = [...(await readRequiredModules(root)), ...modules]
  const args = [
    // The processes of a whole suite are ended after their tests too, whatever is left open.
    ...[mocha, '--no-config', '--bail', '--exit', '--reporter', 'dot', '--timeout', String(limit)],
    ...required.flatMap((module) => ['--require', module]),
    ...files,
  ]
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    ...{ cwd: root, signal, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] },
    // With another seed for each mutant, chance would decide which ones are noticed.
    env: { ...process.env, SEED: process.env.SEED ?? '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
  })
  const end = await waitForEnd(child, limit === 0 ? undefined : limit + minLimit)
  return { ...end, ms: performance.now() - start }
}

/** Reads which modules the project's tests require. */
async function readRequiredModules(root) {
  try {
    return [JSON.parse(await readFile(join(root, '.mocharc.json'), 'utf8')).require ?? []].flat()
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function waitForEnd(child, maxSilence) {
  let output = ''
  let isSilent = false
  const end = () => {
    isSilent = true
    child.kill('SIGKILL')
  }
  const timer = maxSilence === undefined ? undefined : setTimeout(end, maxSilence)
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      // Each passed test prints a dot.
      timer?.refresh()
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      const isLate = isSilent || /Timeout of \d+ms exceeded/.test(output)
      // Without the summary line the process ended early, whatever its exit code is.
      const hasPassed = code === 0 && /^ +\d+ passing/m.test(output)
      resolve({ outcome: isLate ? 'timed out' : hasPassed ? 'passed' : 'failed', output })
    })
  })
}
