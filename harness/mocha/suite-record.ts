import { execFileSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { FakeClock } from '../clock/fake-clock.ts'
import { showPlace } from './error-places.ts'
import { processorSeconds } from './processor-time.ts'

/** The environment variable with the path of the record of the suite that runs; all its processes append to it. */
const variable = 'KEYHOLDER_SUITE_RECORD'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The programs that a suite can start, by the words of the record. */
export type StartedProgram = 'node-red' | 'redis' | 'mosquitto' | 'home-assistant' | 'browser'

/** The cost of the tests of a file. */
interface FileRecord {
  file: string
  tests: number
  failed: number
  milliseconds: number
  /** Of its process, with its import, and of the programs that it has started and that have ended. */
  processorSeconds: number
  /** True if its tests have opened a socket although they have a fake clock. */
  mixesClockAndSockets: boolean
}

/** The files of a way through the code, and the functions in them. */
export interface WayRecord {
  way: string
  files: number
  functions: number
}

/**
 * A line of a record: its beginning, a test file that has run, a program that was started, a way that was measured, or the
 * processor time of the whole suite at its end.
 */
type RecordLine =
  | Measured
  | (FileRecord & { requests: number; runs: number })
  | { started: StartedProgram }
  | WayRecord
  | { suiteSeconds: number }

/** The time of a measurement, and the commit that was measured. */
export interface Measured {
  /** In ISO 8601. */
  date: string
  /** Ends with `-dirty` if the files were not those of the commit; `unknown` outside a clone. */
  commit: string
}

/** The sums of a record. */
export interface SuiteRecord {
  measured: Measured
  /** In the order in which they ended. */
  files: FileRecord[]
  /** Processor time of all its processes; undefined while it runs. */
  processorSeconds?: number
  /** HTTP requests that servers in the processes of the tests have answered, those of the simulator above all. */
  requests: number
  /** Random inputs that properties have tried. */
  runs: number
  started: Record<StartedProgram, number>
  ways: WayRecord[]
}

/** Returns the path of the record of a suite, which is the folder of its configuration: `test` for `npm test`. */
export function recordPath(suite: string): string {
  return join(root, 'node_modules/.cache/keyholder-suites', `${suite}.jsonl`)
}

/** Notes that a test has started a program, where a record is kept. */
export function noteStarted(started: StartedProgram): void {
  append({ started })
}

/** Notes what a way through the code passes, where a record is kept. */
export function noteWay(way: WayRecord): void {
  append(way)
}

/** Returns what describes a measurement that begins now. */
export function measureNow(): Measured {
  const date = new Date().toISOString()
  try {
    const describe = ['describe', '--always', '--dirty', '--abbrev=8', '--exclude=*']
    const commit = execFileSync('git', describe, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    return { date, commit: commit.trim() }
  } catch {
    return { date, commit: 'unknown' }
  }
}

/**
 * Reads the record of a suite.
 * @throws Error if the suite has not run
 */
export function readRecord(path: string): SuiteRecord {
  if (!existsSync(path)) throw new Error(`There is no record ${path}: run its suite first.`)
  const lines: RecordLine[] = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const files = lines.filter((line) => 'file' in line)
  const [measured = { date: '', commit: 'unknown' }] = lines.filter((line) => 'commit' in line)
  const [end] = lines.filter((line) => 'suiteSeconds' in line)
  const count = (program: StartedProgram) =>
    lines.filter((line) => 'started' in line && line.started === program).length
  return {
    measured,
    files,
    ...(end && { processorSeconds: end.suiteSeconds }),
    ways: lines.filter((line) => 'way' in line),
    requests: files.reduce((sum, { requests }) => sum + requests, 0),
    runs: files.reduce((sum, { runs }) => sum + runs, 0),
    started: {
      'node-red': count('node-red'),
      redis: count('redis'),
      mosquitto: count('mosquitto'),
      'home-assistant': count('home-assistant'),
      browser: count('browser'),
    },
  }
}

/** Begins a record in the process that starts the suite, and counts in each process that runs its files. */
export function keepRecord(): { beforeAll(): void; afterEach(this: Mocha.Context): void; afterAll(): void } {
  if (process.env.MOCHA_WORKER_ID === undefined) begin()
  let requests = 0
  let sockets = 0
  let runs = 0
  subscribe('http.server.request.start', () => {
    requests += 1
  })
  subscribe('net.client.socket', () => {
    sockets += 1
  })
  countRuns((more) => {
    runs += more
  })
  const files = new Map<string, FileRecord>()
  let since = performance.now()
  let secondsBefore = processorSeconds()
  const secondsSince = () => {
    const seconds = processorSeconds()
    const more = seconds - secondsBefore
    secondsBefore = seconds
    return more
  }
  return {
    beforeAll: () => {
      since = performance.now()
      sockets = 0
      FakeClock.made = 0
    },
    // The time of a file includes its hooks: they start the servers.
    afterEach() {
      const file = relative(root, this.currentTest?.file ?? '').replaceAll('\\', '/')
      const none = { tests: 0, failed: 0, milliseconds: 0, processorSeconds: 0 }
      const { tests, failed, milliseconds, processorSeconds } = files.get(file) ?? none
      const now = performance.now()
      const mixesClockAndSockets = FakeClock.made > 0 && sockets > 0
      files.set(file, {
        file,
        tests: tests + 1,
        failed: failed + (this.currentTest?.state === 'failed' ? 1 : 0),
        milliseconds: milliseconds + now - since,
        processorSeconds: processorSeconds + secondsSince(),
        mixesClockAndSockets,
      })
      since = now
    },
    // Side by side, mocha calls it after each file.
    afterAll: () => {
      const last = [...files.values()].at(-1)
      // Servers end in hooks after the last test.
      if (last) last.processorSeconds += secondsSince()
      for (const record of files.values()) {
        const rounded = {
          milliseconds: Math.round(record.milliseconds),
          processorSeconds: Number(record.processorSeconds.toFixed(2)),
        }
        append({ ...record, ...rounded, requests, runs })
        requests = 0
        runs = 0
      }
      files.clear()
    },
  }
}

/** A run of single files, with `--no-config`, keeps a record only where the environment says. */
function begin(): void {
  if (process.argv.includes('--no-config') && process.env[variable] === undefined) return
  const at = process.argv.indexOf('--config')
  const config = at === -1 ? undefined : process.argv[at + 1]
  const path = process.env[variable] ?? recordPath(config === undefined ? 'test' : basename(dirname(config)))
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  process.env[variable] = path
  append(measureNow())
  process.once('exit', () => append({ suiteSeconds: processorSeconds() }))
}

function append(line: RecordLine): void {
  const path = process.env[variable]
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`)
}

/** Calls `add` with the number of inputs of each property that has been tried. */
function countRuns(add: (runs: number) => void): void {
  fc.configureGlobal({
    ...fc.readConfigureGlobal(),
    reporter: (details) => {
      add(details.numRuns)
      if (!details.failed) return
      showPlace(details.errorInstance)
      // Mocha's parallel mode passes the text of an error on, not its cause.
      const cause = details.errorInstance instanceof Error ? details.errorInstance.stack : 'no error'
      const end = details.interrupted ? 'The search for a smaller input ended early.\n' : ''
      throw new Error(`${fc.defaultReportMessage(details)}\n\n${end}${cause}`)
    },
  })
}
