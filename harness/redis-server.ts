import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { noteStarted } from './mocha/suite-record.ts'
import { describeWithServer, findProgram } from './server-program.ts'

/** The options of a start. */
export interface RedisServerOptions {
  /** True to keep the data over a restart: each write is appended to a file before it is answered. */
  appendOnly?: boolean
  /** More arguments of the program. */
  args?: readonly string[]
}

/** The number of tries of a start: another process may take the free port first. */
const maxStarts = 5

/**
 * A Redis or Valkey server of a test: on a free port of loopback, in a temporary folder, without persistence unless
 * a test wants it.
 */
export class RedisServer {
  readonly #program: string
  #folder: string | undefined
  #port = 0
  #process: ChildProcess | undefined
  #options: RedisServerOptions = {}
  readonly #killAtExit = () => this.#process?.kill('SIGKILL')

  /** @param program path of the server program */
  constructor(program: string) {
    this.#program = program
  }

  /** The path of the program. */
  get program(): string {
    return this.#program
  }

  /** The processor time that the server has used, in seconds. */
  async processorTime(): Promise<number> {
    const info = await withRedis(this, (client) => client.info('cpu'))
    const seconds = (field: string) => Number(new RegExp(`^${field}:(.*)$`, 'm').exec(info)?.[1] ?? 0)
    return seconds('used_cpu_sys') + seconds('used_cpu_user')
  }

  /** The port; the same after a restart. */
  get port(): number {
    return this.#port
  }

  /** The address for the settings of a cluster. */
  get address(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  /** Starts the server, and resolves when it answers. */
  async start(options: RedisServerOptions = {}): Promise<void> {
    this.#options = options
    this.#folder ??= mkdtempSync(join(tmpdir(), 'keyholder-redis-'))
    for (let attempt = 1; ; attempt += 1) {
      if (this.#port === 0 || attempt > 1) this.#port = await findFreePort()
      if (await this.#launch()) return
      if (attempt === maxStarts) throw new Error(`${this.#program} does not start.`)
    }
  }

  /** Ends the server in order and removes its data. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
    this.#folder = undefined
  }

  /** Kills the server; its data stays only in an append-only file. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Kills the server if it runs and starts it again on the same port, empty or from its append-only file. */
  async restart(options: RedisServerOptions = this.#options): Promise<void> {
    await this.kill()
    this.#options = options
    // The port is free again as soon as the process has ended, except for another test's server.
    if (!(await this.#launch())) throw new Error(`${this.#program} does not start again.`)
  }

  /**
   * Leaves a server without data, scripts and connections, as after a start. One that runs need not start for it.
   */
  async empty(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return this.restart()
    this.resume()
    await withRedis(this, async (client) => {
      await client.call('CLIENT', 'KILL', 'SKIPME', 'yes')
      await client.flushall()
      await client.script('FLUSH')
      await client.config('RESETSTAT')
    })
  }

  /** Stops the process without an end: connections stay open, and nothing is answered. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  /** Lets a paused process go on. */
  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Starts the process; returns false if it ended at once. */
  async #launch(): Promise<boolean> {
    const { appendOnly = false, args = [] } = this.#options
    const persistence = appendOnly ? ['yes', '--appendfsync', 'always'] : ['no']
    noteStarted('redis')
    const child = spawn(
      this.#program,
      [
        ...['--port', `${this.#port}`, '--bind', '127.0.0.1', '--dir', this.#folder ?? tmpdir()],
        ...['--save', '', '--appendonly', ...persistence, ...args],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    this.#process = child
    process.once('exit', this.#killAtExit)
    return new Promise((resolve) => {
      child.once('error', () => resolve(false))
      child.once('exit', () => resolve(false))
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (/ready to accept connections/i.test(line)) resolve(true)
      })
    })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = undefined
    process.removeListener('exit', this.#killAtExit)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
  }
}

/** Sends commands to a server, as none of the product's instances does. */
export async function withRedis<T>({ port }: RedisServer, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1')
  try {
    return await work(client)
  } finally {
    client.disconnect()
  }
}

/** The program of the tests: the one that REDIS_SERVER names, or `redis-server` in the path; undefined without one. */
export function redisProgram(): string | undefined {
  return process.env.REDIS_SERVER || findProgram('redis-server')
}

/**
 * Describes tests that need a Redis server: on the program that REDIS_SERVER names, or `redis-server` in the path, and
 * once more on the Valkey that VALKEY_SERVER names. Without a program the tests are skipped, and a line says so.
 * @param isLong true for tests that take minutes and run only once
 */
export function describeWithRedis(
  title: string,
  tests: (server: RedisServer) => void,
  { isLong = false } = {},
): void {
  const on = (path: string | undefined) => ({
    path,
    create: (program: string) => new RedisServer(program),
    missing:
      'The tests that need a Redis server are skipped: there is no redis-server. Install it, or name one in REDIS_SERVER.',
  })
  const valkey = process.env.VALKEY_SERVER
  describeWithServer(title, on(redisProgram()), tests)
  if (valkey && !isLong) describeWithServer(`${title}, on Valkey`, on(valkey), tests)
}

/**
 * Returns a port of loopback that was free a moment ago. The system gives none of these ports to connections, so a
 * server can start again on its port.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
