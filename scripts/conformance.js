import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { posix } from 'node:path'

// Writes the columns "tests" of docs/conformance.md from the tags `// @spec` above the tests.
// With --check it changes nothing, and fails if the page differs from the tags.

const page = 'docs/conformance.md'
const ending = /(?:\.test|-property|-properties)\.ts$/

/** Lists the files that can have tags: paths with slashes, relative to the project. */
async function listTests() {
  const folders = ['test', 'harness'].filter((folder) => existsSync(folder))
  const lists = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  )
  return (await Promise.all(lists)).flat().filter((file) => ending.test(file))
}

/**
 * Reads the tags of the tests.
 * @returns {Promise<{ tag: string, file: string }[]>}
 */
async function readTags(problems) {
  const tags = []
  for (const file of await listTests()) {
    const source = await readFile(file, 'utf8')
    for (const [, names, next] of source.matchAll(/^ *\/\/ @spec\b(.*)\n *(.*)/gm)) {
      if (!/^[\w.]+\(/.test(next)) {
        problems.push(`${file}: move the tag "@spec${names}" to the line directly above a test.`)
      }
      for (const tag of names.split(',')) tags.push({ tag: tag.trim(), file })
    }
  }
  return tags
}

/** Returns the tag of a row: `3, rule 2` has the tag `3-rule-2`. */
function tagOf(cell) {
  return cell.trim().replaceAll('`', '').replace(', rule ', '-rule-')
}

/** Returns links to test files, sorted by their labels. Files of the same name have their folder in the label. */
function linksTo(files) {
  const nameOf = (file) => posix.basename(file).replace(ending, '')
  const labelOf = (file) => {
    const isAlone = files.filter((other) => nameOf(other) === nameOf(file)).length === 1
    return isAlone ? nameOf(file) : `${posix.basename(posix.dirname(file))}/${nameOf(file)}`
  }
  const links = files.map((file) => `[${labelOf(file)}](../${file})`)
  return links.sort().join(', ')
}

/** Returns the page with the links that follow from the tags. */
function withLinks(text, tags, problems) {
  const known = new Set()
  let column = -1
  const rewritten = text.split('\n').map((line, index, lines) => {
    if (!line.startsWith('|') || line.startsWith('|---')) return line
    const cells = line.split('|')
    if (!lines[index - 1]?.startsWith('|')) {
      column = cells.findIndex((cell) => cell.trim() === 'tests')
      return line
    }
    if (column < 0) return line
    const row = tagOf(cells[1])
    known.add(row)
    const files = [...new Set(tags.filter(({ tag }) => tag === row).map(({ file }) => file))]
    if (files.length > 0) cells[column] = ` ${linksTo(files)} `
    else if (!cells[column].startsWith(' none: ')) {
      problems.push(`${page}: no test has the tag "@spec ${row}". Tag one, or write "none: <reason>".`)
    }
    return cells.join('|')
  })
  for (const { tag, file } of tags) {
    if (!known.has(tag)) problems.push(`${file}: ${page} has no row for the tag "@spec ${tag}".`)
  }
  return rewritten.join('\n')
}

const problems = []
const text = await readFile(page, 'utf8')
const rewritten = withLinks(text, await readTags(problems), problems)
if (problems.length === 0 && rewritten !== text) {
  if (process.argv.includes('--check')) {
    problems.push(`${page} differs from the tags of the tests: run npm run conformance.`)
  } else await writeFile(page, rewritten)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
