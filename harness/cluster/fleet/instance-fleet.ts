import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { moduleExtension } from '../../module-extension.ts'
import type { InstanceTask } from './instance-process.ts'

const program = fileURLToPath(new URL(`instance-process${moduleExtension}`, import.meta.url))

/** An HTTP request of a process, by its arrival. */
export interface Arrival {
  path: string
  at: number
}

/** Several processes of one cluster, and the server that counts what they send. */
export class InstanceFleet {
  readonly arrivals: Arrival[] = []
  readonly #server: Server
  readonly #processes = new Map<string, ChildProcess>()
  readonly #task: (port: number, instance: string) => InstanceTask

  private constructor(server: Server, task: (port: number, instance: string) => InstanceTask) {
    this.#server = server
    this.#task = task
  }

  /**
   * Starts the processes.
   * @param task returns what a process does, by its name and the port that counts
   */
  static async start(
    names: readonly string[],
    task: (port: number, instance: string) => InstanceTask,
  ): Promise<InstanceFleet> {
    const server = createServer((request, response) => {
      fleet.arrivals.push({ path: request.url ?? '', at: performance.now() })
      setTimeout(() => response.end(), Math.random() * 100)
    })
    const fleet = new InstanceFleet(server, task)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    for (const name of names) fleet.launch(name)
    return fleet
  }

  /** The names of the processes. */
  get names(): string[] {
    return [...this.#processes.keys()]
  }

  launch(name: string): void {
    const { port } = this.#server.address() as AddressInfo
    const task = JSON.stringify(this.#task(port, name))
    this.#processes.set(name, spawn(process.execPath, [program, task], { stdio: 'inherit' }))
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#processes.get(name)?.kill(signal)
  }

  /** Kills a process and starts it again. */
  replace(name: string): void {
    this.signal(name, 'SIGKILL')
    this.launch(name)
  }

  async close(): Promise<void> {
    for (const child of this.#processes.values()) child.kill('SIGKILL')
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Returns the most arrivals in any window, which includes only one of its ends. */
export function mostWithin(times: readonly number[], window: number): number {
  const sorted = [...times].sort((one, other) => one - other)
  let most = 0
  let from = 0
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] ?? time) >= window) from += 1
    most = Math.max(most, to - from + 1)
  }
  return most
}
