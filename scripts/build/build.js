// `npm run build`: compiles, each `.js` beside its `.ts`, and makes dist/, which Node-RED loads, and the German examples.
//
// `npm run build -- --changed`, before the tests: the compiler checks no types, as `npm run check` does that, and dist/ is made
// only if something that it is made of has changed.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { run, UserError } from '../command.js'
import { digestInputs, isMadeOf, noteInputs } from './inputs.js'

const { changed } = parseArgs({ options: { changed: { type: 'boolean', default: false } } }).values
const root = fileURLToPath(new URL('../..', import.meta.url))

try {
  await build()
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function build() {
  await compile(changed ? ['--noCheck'] : [])
  const digest = await digestInputs(root)
  if (changed && (await isMadeOf(root, digest))) return
  await compile(['--project', 'tsconfig.types.json', ...(changed ? ['--noCheck'] : [])])
  const { makeDist } = await import('./bundle.js')
  await makeDist()
  const { writeGermanExamples } = await import('../examples/german-examples.js')
  await writeGermanExamples()
  await noteInputs(root, digest)
}

function compile(options) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const call = { command: process.execPath, args: [compiler, ...options] }
  const { signal } = new AbortController()
  return run(call, {
    cwd: root,
    signal,
    failure: 'The sources could not be compiled; the lines above say where.',
  })
}
