import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../command.js'

/** Compiles a few sources as all others are, without looking at what they import. */
const configuration = 'tsconfig.changed.json'

/**
 * Changes sources of a copy of the project, together with their modules, while some work is done.
 * @param {string} root of the copy
 * @param {Map<string, string>} sources by path
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {UserError} if they do not compile
 * @template T
 */
export async function whileChanged(root, sources, signal, work) {
  const paths = [...sources.keys()].flatMap((file) => [file, file.replace(/ts$/, 'js')])
  const before = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
  try {
    for (const [file, text] of sources) await writeFile(join(root, file), text)
    await compileAlone(root, [...sources.keys()], signal)
    return await work()
  } finally {
    for (const [at, path] of paths.entries()) await writeFile(join(root, path), before[at])
  }
}

async function compileAlone(root, files, signal) {
  const options = { noResolve: true, types: [] }
  const settings = { extends: './tsconfig.json', compilerOptions: options, files, include: [] }
  await writeFile(join(root, configuration), JSON.stringify(settings))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  if (!existsSync(compiler)) throw new UserError('The compiler is not installed: run npm ci.')
  const args = [compiler, '--noCheck', '--project', join(root, configuration)]
  const child = spawn(process.execPath, args, { cwd: root, signal, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new UserError(`These sources do not compile with the fault: ${files.join(', ')}`)
}
