import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
/**
 * Minimum time limit in milliseconds for a test, and for the start of a process, because the machine may be
 * busy.
 */
const minLimit = 20_000

/**
 * Runs test files in a process of its own up to the first failure.
 * @param {string[]} files
 * @param {{ root: string, signal: AbortSignal, slowest: number, env?: object }} options `slowest` is
 *   how many milliseconds the slowest of the files takes when nothing is wrong
 * @returns {Promise<{ outcome: 'passed' | 'failed' | 'timed out', output: string }>}
 */
export async function runTests(files, { root, signal, slowest, env = {} }) {
  const limit = Math.ceil(minLimit + 4 * slowest)
  const args = [
    ...[mocha, '--no-config', '--bail', '--reporter', 'dot', '--timeout', String(limit)],
    ...(await readRequiredModules(root)).flatMap((module) => ['--require', module]),
    ...files,
  ]
  const child = spawn(process.execPath, args, {
    ...{ cwd: root, signal, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] },
    // With another seed for each mutant, chance would decide which ones are noticed.
    env: { ...process.env, SEED: process.env.SEED ?? '1', NO_COLOR: '1', FORCE_COLOR: undefined, ...env },
  })
  return await waitForEnd(child, limit + minLimit)
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
  const timer = setTimeout(() => {
    isSilent = true
    child.kill('SIGKILL')
  }, maxSilence)
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      // Each passed test prints a dot.
      timer.refresh()
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
