import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { install } from '../../harness/node-red/npm.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { RivalTask } from './rival-process.ts'

const program = fileURLToPath(new URL('rival-process.js', import.meta.url))
const packages = ['bullmq@6', 'rate-limiter-flexible@11', 'ioredis@5']

/** Returns the folder in which the rivals are installed, for this run only. */
export async function installRivals({ folder, progress }: BenchmarkOptions): Promise<string> {
  const place = join(folder, 'rivals')
  const isThere = await stat(join(place, 'package-lock.json')).then(
    () => true,
    () => false,
  )
  if (isThere) return place
  progress('installing BullMQ and rate-limiter-flexible')
  await mkdir(place, { recursive: true })
  await install(place, packages)
  return place
}

/** A request of a rival, by its arrival. */
export interface RivalArrival {
  path: string
  at: number
}

/** The number of processes of a rival, and the times of their kills. */
export interface RivalRun {
  instances: number
  /** Milliseconds until the first kill, and between two kills. */
  begin: number
  every: number
  kills: number
  /** Milliseconds after the last kill. */
  end: number
}

/** Runs processes of a rival while they are killed one after the other; returns what arrived. */
export async function runRival(
  task: Omit<RivalTask, 'port'>,
  { instances, begin, every, kills, end }: RivalRun,
): Promise<RivalArrival[]> {
  const arrivals: RivalArrival[] = []
  const server = createServer((request, response) => {
    arrivals.push({ path: request.url ?? '', at: performance.now() })
    setTimeout(() => response.end(), 20 * Math.random())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const launch = () =>
    spawn(process.execPath, [program, JSON.stringify({ ...task, port })], {
      stdio: 'ignore',
    })
  const processes: ChildProcess[] = Array.from({ length: instances }, launch)
  try {
    await pause(begin)
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(every)
      const nth = kill % instances
      processes[nth]?.kill('SIGKILL')
      processes[nth] = launch()
    }
    await pause(end)
    return arrivals
  } finally {
    for (const one of processes) one.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
  }
}
