import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from '../command.js'
import { endedByProcessorTime } from './notice.js'

const program = fileURLToPath(new URL('lives.js', import.meta.url))

/**
 * Lives random lives without a fault.
 * @param {{ kinds: string[] }} world
 * @param {number} inputs the lives of each kind
 * @param {{ root: string, signal: AbortSignal, folder: string }} options `root` is of a copy of the project, `folder` for temporary
 *   files
 * @returns {Promise<string>} the path of a file with what is known of them, for `liveUntilUntrue`
 */
export async function liveSoundly(world, inputs, options) {
  const lives = await run(world, inputs, [], options)
  if (lives.failure !== undefined) throw new UserError(`The simulation without a fault: ${lives.failure}.`)
  const untrue = lives.filter(({ isTrue }) => !isTrue).length
  if (untrue > 0)
    console.error(
      `${untrue} of ${lives.length} lives tell something untrue without a fault, and count for nothing.`,
    )
  const path = join(options.folder, `lives-${inputs}.json`)
  await writeFile(path, JSON.stringify(lives))
  return path
}

/**
 * Lives the same lives with a fault, until one tells something untrue.
 * @param {{ kinds: string[] }} world
 * @param {number} inputs
 * @param {{ root: string, signal: AbortSignal, lives: string }} options `lives` is what `liveSoundly` returns
 * @returns {Promise<{ first: number, kind: string, says: string } | { first: null, changed: number } | { failure: string }>} the seed and
 *   the kind of that life; without one, the number of lives in which anything is different because of the fault
 */
export async function liveUntilUntrue(world, inputs, { lives, ...options }) {
  return await run(world, inputs, [lives], options)
}

async function run({ kinds }, inputs, more, { root, signal }) {
  const { modules, env } = endedByProcessorTime({ INPUTS: String(kinds.length * inputs) })
  const args = [...modules.flatMap((module) => ['--import', module]), program]
  const child = spawn(process.execPath, [...args, String(inputs), JSON.stringify(kinds), ...more], {
    ...{ cwd: root, signal, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] },
    env: { ...process.env, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const last = output.trim().split('\n').at(-1)
  if (code === 0) return JSON.parse(last)
  return { failure: output.includes('No end: ') ? 'no end' : 'fails' }
}
