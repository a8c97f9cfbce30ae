import { spawn } from 'node:child_process'

/** An error that the user can fix: shown as a sentence, without a stack. */
export class UserError extends Error {}

/**
 * Runs a command to its end; its output goes to the terminal.
 * @param {{ command: string, args: string[], shell?: boolean }} call
 * @param {{ cwd: string, signal: AbortSignal, failure: string }} options `failure` is the error message
 */
export function run({ command, args, shell = false }, { cwd, signal, failure }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, signal, shell, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', (error) =>
      reject(signal.aborted ? error : new UserError(`${failure} ${error.message}`)),
    )
    child.once('close', (code) => (code === 0 ? resolve() : reject(new UserError(failure))))
  })
}

/** Returns the call of npm with these arguments: the npm that runs this script, or the one on the path. */
export function npm(args) {
  const own = process.env.npm_execpath
  if (own?.endsWith('.js')) return { command: process.execPath, args: [own, ...args] }
  // On Windows npm is a batch file, which needs a shell.
  return { command: 'npm', args, shell: process.platform === 'win32' }
}

/**
 * Runs a program: an error that the user can fix is told in its sentence, and a signal of the terminal ends what was begun.
 * @param {(signal: AbortSignal) => Promise<void>} main
 */
export async function runProgram(main) {
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => ending.abort())
  try {
    await main(ending.signal)
  } catch (error) {
    if (!(error instanceof UserError || ending.signal.aborted)) throw error
    if (!ending.signal.aborted) console.error(error.message)
    process.exitCode = ending.signal.aborted ? 130 : 1
  }
}
