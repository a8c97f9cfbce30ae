import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A server that a test runs, such as Redis. */
interface Server {
  start(): Promise<void>
  stop(): Promise<void>
}

/** The program of a server of tests. */
export interface ServerProgram<S extends Server> {
  /** Its path; undefined if it was not found. */
  path: string | undefined
  create(path: string): S
  /** The line that says that tests are skipped without it, and how to get it. */
  missing: string
}

/** The lines that this process has printed. */
const told = new Set<string>()

/**
 * Describes tests with a server, which runs from the first to the last of them. Without its program the tests are skipped,
 * and a line says so once.
 */
export function describeWithServer<S extends Server>(
  title: string,
  { path, create, missing }: ServerProgram<S>,
  tests: (server: S) => void,
): void {
  if (path === undefined && !told.has(missing)) {
    told.add(missing)
    console.warn(missing)
  }
  // Not skipped in a hook: the hooks that close what others have opened would run all the same.
  const describeIfFound = path === undefined ? describe.skip : describe
  describeIfFound(title, () => {
    const server = create(path ?? '')
    before(() => server.start())
    after(() => server.stop())
    tests(server)
  })
}

/** Returns the path of a program; Debian has servers in a folder that the path of a user may not have. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  const paths = folders.filter((folder) => folder !== '').map((folder) => join(folder, name))
  return paths.find((path) => existsSync(path))
}
