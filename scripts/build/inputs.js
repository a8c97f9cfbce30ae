import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * All that dist/ and the German examples are made of: sources, pages and texts, the English examples, the build itself, and
 * the versions of what it uses.
 */
const places = [
  ...['src', 'nodes', 'examples', 'scripts/build', 'scripts/examples'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json'],
]

/** The file in dist/ with the digest of what it was made of; package.json leaves it out of the package. */
const record = 'dist/.inputs'

/**
 * Lists the files of which dist/ is made. What the compiler has emitted is not among them: it follows from its source.
 * @param {string} root the folder of the project
 * @returns {Promise<string[]>} paths with slashes, relative to the root
 */
export async function listInputs(root) {
  const lists = await Promise.all(places.map((place) => listPlace(root, place)))
  return lists.flat().sort()
}

/** Returns a digest of the inputs: of their paths and of all that is in them. */
export async function digestInputs(root) {
  const hash = createHash('sha256')
  for (const path of await listInputs(root)) {
    const content = await readFile(join(root, path))
    hash.update(`${path}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** Tells if dist/ is there and whole, and was made of inputs with this digest. */
export async function isMadeOf(root, digest) {
  const kept = await readFile(join(root, record), 'utf8').catch(() => '')
  return kept === digest
}

/** Notes in dist/ what it was made of: the last step of its making, which begins with the removal of all that is there. */
export async function noteInputs(root, digest) {
  await writeFile(join(root, record), digest)
}

async function listPlace(root, place) {
  if ((await stat(join(root, place))).isFile()) return [place]
  const entries = await readdir(join(root, place), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !isEmitted(path) && !path.includes(join('examples', 'Deutsch')))
    .map((path) => path.slice(join(root, '/').length).replaceAll('\\', '/'))
}

function isEmitted(path) {
  return /(?:\.d\.ts|\.js)$/.test(path) && existsSync(path.replace(/(?:\.d\.ts|\.js)$/, '.ts'))
}
