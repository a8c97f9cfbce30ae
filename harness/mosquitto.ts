import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteStarted } from './mocha/suite-record.ts'
import { findFreePort } from './redis-server.ts'
import { describeWithServer, findProgram } from './server-program.ts'

/** The number of tries of a start: another process may take the free port first. */
const maxStarts = 5

/** Milliseconds between two tries to connect to a broker that starts. */
const pollInterval = 20

/** An MQTT broker of a test: mosquitto on a free port of loopback, which keeps messages until it ends, and no longer. */
export class Mosquitto {
  readonly #program: string
  #folder: string | undefined
  #port = 0
  #process: ChildProcess | undefined
  readonly #killAtExit = () => this.#process?.kill('SIGKILL')

  /** @param program path of the broker's program */
  constructor(program: string) {
    this.#program = program
  }

  /** The port; the same after a restart. */
  get port(): number {
    return this.#port
  }

  /** Starts the broker, and resolves when it accepts connections. */
  async start(): Promise<void> {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'keyholder-mosquitto-'))
    for (let attempt = 1; ; attempt += 1) {
      if (this.#port === 0 || attempt > 1) this.#port = await findFreePort()
      if (await this.#launch()) return
      if (attempt === maxStarts) throw new Error(`${this.#program} does not start.`)
    }
  }

  /** Kills the broker and starts it again on the same port, without the messages that it has kept. */
  async restart(): Promise<void> {
    await this.#end()
    if (!(await this.#launch())) throw new Error(`${this.#program} does not start again.`)
  }

  /** Ends the broker. */
  async stop(): Promise<void> {
    await this.#end()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
    this.#folder = undefined
  }

  /** Starts the process; returns false if it ended at once. */
  async #launch(): Promise<boolean> {
    const settings = join(this.#folder ?? tmpdir(), 'mosquitto.conf')
    const lines = [`listener ${this.#port} 127.0.0.1`, 'allow_anonymous true', 'persistence false']
    // Without it, the broker queues 1,000 messages for a client, and the states of a large panel are more.
    writeFileSync(settings, [...lines, 'max_queued_messages 10000', ''].join('\n'))
    noteStarted('mosquitto')
    const child = spawn(this.#program, ['-c', settings], { stdio: 'ignore' })
    this.#process = child
    process.once('exit', this.#killAtExit)
    let hasEnded = false
    for (const event of ['error', 'exit'])
      child.once(event, () => {
        hasEnded = true
      })
    while (!hasEnded) {
      if (await accepts(this.#port)) return !hasEnded
      await new Promise((resolve) => setTimeout(resolve, pollInterval))
    }
    return false
  }

  async #end(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    process.removeListener('exit', this.#killAtExit)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
}

/** Tells if a port of loopback accepts a connection. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/**
 * Describes tests that need an MQTT broker: the one that MOSQUITTO names, or `mosquitto` in the path. Without a broker
 * the tests are skipped, and a line says so.
 */
export function describeWithMosquitto(title: string, tests: (broker: Mosquitto) => void): void {
  const program = {
    path: process.env.MOSQUITTO || findProgram('mosquitto'),
    create: (path: string) => new Mosquitto(path),
    missing:
      'The tests that need an MQTT broker are skipped: there is no mosquitto. Install it, or name one in MOSQUITTO.',
  }
  describeWithServer(title, program, tests)
}
