import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Finds the positions of mutants in the `.ts`: compiles the project again, with source maps, into a temporary
 * folder.
 * @param {{ file: string, source: string, start: number }[]} mutants
 * @param {{ root: string, folder: string, signal: AbortSignal }} options
 * @returns {Promise<object[]>} the mutants, each with its `place`: file, line and column
 */
export async function addOriginalPlaces(mutants, { root, folder, signal }) {
  const outDir = join(folder, 'source-maps')
  if (existsSync(join(root, 'tsconfig.json'))) {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const args = [compiler, '--sourceMap', '--declaration', 'false', '--outDir', outDir]
    await promisify(execFile)(process.execPath, args, { cwd: root, signal })
  }
  const files = [...new Set(mutants.map(({ file }) => file))]
  const maps = new Map(
    await Promise.all(files.map(async (file) => [file, await readSourceMap(outDir, file)])),
  )
  return mutants.map((mutant) => ({ ...mutant, place: describePlace(mutant, maps.get(mutant.file)) }))
}

/** Returns the source map of a compiled module; nothing for a module written in JavaScript. */
async function readSourceMap(outDir, file) {
  const path = join(outDir, `${file}.map`)
  return existsSync(path) ? new SourceMap(JSON.parse(await readFile(path, 'utf8'))) : undefined
}

function describePlace({ file, source, start }, map) {
  const lines = source.slice(0, start).split('\n')
  const line = lines.length - 1
  const column = lines.at(-1).length
  if (!map) return `${file}:${line + 1}:${column + 1}`
  const { originalLine, originalColumn } = map.findEntry(line, column)
  return `${file.replace(/js$/, 'ts')}:${originalLine + 1}:${originalColumn + 1}`
}
