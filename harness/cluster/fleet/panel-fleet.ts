import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { until } from '../../clock/until.ts'
import { moduleExtension } from '../../module-extension.ts'
import type { PanelReport, PanelTask, Question } from './panel-process.ts'

const program = fileURLToPath(new URL(`panel-process${moduleExtension}`, import.meta.url))

/** The task of a process of a fleet; the fleet adds the folders. */
export type FleetTask = Omit<PanelTask, 'folder' | 'told'>

/** A sent event, in the order in which all processes sent them. */
export interface ToldEvent {
  /** The address of its service, and its serial. */
  panel: string
  /** The id of the event; `gap` for a gap. */
  event: string
  isRedelivered: boolean
}

/** Milliseconds in which a process that hangs in no way has answered. */
const maxAnswerTime = 5000

/** Several processes with the product's own cluster, accounts and panels, which can be killed and stopped. */
export class PanelFleet {
  readonly #folder = mkdtempSync(join(tmpdir(), 'keyholder-fleet-'))
  readonly #task: (instance: string) => FleetTask
  readonly #processes = new Map<string, ChildProcess>()
  readonly #stopped = new Set<string>()
  #questions = 0
  readonly #killAtExit = () => this.#killAll()

  /** @param task returns what a process does, by its name */
  constructor(task: (instance: string) => FleetTask) {
    this.#task = task
    process.once('exit', this.#killAtExit)
  }

  /** The names of the processes that are not stopped. */
  get running(): string[] {
    return [...this.#processes.keys()].filter((name) => !this.#stopped.has(name))
  }

  /** The events that all processes have sent, in order. */
  get told(): ToldEvent[] {
    const lines = readFileSync(this.#told, 'utf8').split('\n')
    // A line has its end, or was cut by a kill.
    return lines.slice(0, -1).map((line) => {
      const [panel = '', event = '', flag] = line.split(' ')
      return { panel, event, isRedelivered: flag === 'redelivered' }
    })
  }

  /**
   * Waits until the processes have sent this many events.
   * @throws Error with what was sent and the reports of all processes, if it was in vain
   */
  async untilTold(count: number): Promise<void> {
    try {
      await until(() => this.told.length >= count, `${count} events`)
    } catch (cause) {
      const report = (name: string) => Promise.race([this.report(name), pause(maxAnswerTime, 'no answer')])
      const names = [...this.#processes.keys()]
      const reports = await Promise.all(names.map(async (name) => ({ name, report: await report(name) })))
      const found = inspect({ told: this.told, reports }, { depth: 10, breakLength: 160 })
      throw new Error(`${count} events were not sent: ${found}`, { cause })
    }
  }

  /** Starts a process, and resolves when it is connected and has opened its panels. */
  launch(name: string): Promise<void> {
    const task: PanelTask = { ...this.#task(name), folder: join(this.#folder, name), told: this.#told }
    const child = fork(program, [JSON.stringify(task)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.setMaxListeners(0)
    this.#processes.set(name, child)
    return new Promise((resolve) => {
      child.once('exit', resolve)
      child.once('message', () => resolve())
    })
  }

  /** Kills a process; it stays dead until it is launched again. */
  kill(name: string): void {
    this.#processes.get(name)?.kill('SIGKILL')
    this.#processes.delete(name)
    this.#stopped.delete(name)
  }

  /** Kills a process and starts it again. */
  replace(name: string): Promise<void> {
    this.kill(name)
    return this.launch(name)
  }

  /** Stops a process without an end: it knows nothing of the time that passes until it is woken. */
  stop(name: string): void {
    this.#stopped.add(name)
    this.#processes.get(name)?.kill('SIGSTOP')
  }

  wake(name: string): void {
    this.#stopped.delete(name)
    this.#processes.get(name)?.kill('SIGCONT')
  }

  /** Returns the answer of a process; undefined if it has ended. */
  report(name: string): Promise<PanelReport | undefined> {
    return this.#ask(name, { ask: 'report' }) as Promise<PanelReport | undefined>
  }

  /** Lets a process read a state several times at once; returns the number of answers. */
  async call(name: string, count: number): Promise<number> {
    return Number(await this.#ask(name, { ask: 'calls', count }))
  }

  /** Returns the only file in the folder of a process whose name matches. */
  readFile(name: string, pattern: RegExp): string {
    const folder = join(this.#folder, name)
    const file = readdirSync(folder).find((one) => pattern.test(one))
    if (file === undefined) throw new Error(`There is no file ${pattern}.`)
    return readFileSync(join(folder, file), 'utf8')
  }

  /** Kills all processes; their folders stay. */
  async stopAll(): Promise<void> {
    const ends = [...this.#processes.values()].map(
      (child) => new Promise((resolve) => child.once('exit', resolve)),
    )
    this.#killAll()
    await Promise.all(ends)
    this.#processes.clear()
  }

  async close(): Promise<void> {
    process.removeListener('exit', this.#killAtExit)
    await this.stopAll()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  get #told(): string {
    return join(this.#folder, 'told')
  }

  #ask(name: string, question: Question): Promise<unknown> {
    const child = this.#processes.get(name)
    if (child === undefined) return Promise.resolve(undefined)
    this.#questions += 1
    const id = this.#questions
    return new Promise((resolve) => {
      const settle = (reply: unknown) => {
        child.removeListener('message', listen)
        child.removeListener('exit', leave)
        resolve(reply)
      }
      const listen = (message: { id?: number; reply?: unknown }) => {
        if (message.id === id) settle(message.reply)
      }
      const leave = () => settle(undefined)
      child.on('message', listen)
      child.once('exit', leave)
      child.send({ ...question, id }, () => {})
    })
  }

  #killAll(): void {
    for (const child of this.#processes.values()) child.kill('SIGKILL')
  }
}
