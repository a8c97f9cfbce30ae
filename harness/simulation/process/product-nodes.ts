import crypto, { type ScryptOptions, scryptSync } from 'node:crypto'
import http from 'node:http'
import os from 'node:os'
import type { HttpClient, transport } from '../../../src/account/http/http-client.ts'
import type { RejectedCredentials } from '../../../src/account/service-user/auth/rejected-credentials.ts'
import type { systemClock } from '../../../src/clock.ts'
import type { Random } from '../../../src/simulator/random.ts'
import type { Network } from './network.ts'
import { compileProduct, ProductCopy } from './product-copy.ts'
import type { SimulatedProcess } from './simulated-process.ts'

const nodes = 'nodes/keyholder.js'
const clock = 'src/clock.js'
const client = 'src/account/http/http-client.js'
const rejections = 'src/account/service-user/auth/rejected-credentials.js'

/** The rounds of the hash of secrets, far fewer than in the product: all secrets of a simulation are known. */
const hashCost = 2

/** Loads what instances are made of, once in this process. */
export function prepareProduct(): Promise<void> {
  return compileProduct(nodes, clock, client, rejections)
}

/**
 * Returns the nodes of the product for a process: a copy of all modules with the clock, the network, the disk and the random numbers
 * of that process.
 * @param fileSystem the process's `node:fs` and `node:fs/promises`
 * @param temporary the folder for temporary files on its disk
 */
export function nodesFor(
  process: SimulatedProcess,
  network: Network,
  fileSystem: Readonly<Record<string, object>>,
  temporary: string,
  random: Random,
): typeof import('../../../nodes/keyholder.ts').registrations {
  const copy = new ProductCopy({
    modules: {
      ...fileSystem,
      'node:crypto': { ...crypto, ...randomOf(random) },
      'node:http': { ...http, createServer: (serve: () => void) => process.servers.create(serve) },
      'node:os': { ...os, tmpdir: () => temporary },
      'node:timers/promises': {
        setImmediate: () => new Promise<void>((resolve) => process.setImmediate(resolve)),
      },
      // Requests are answered before either of them is needed.
      got: { default: { extend: () => ({}) } },
      ioredis: {},
    },
    setImmediate: (call, ...values) => process.setImmediate(() => call(...values)),
    random: () => random.next(),
    onExit: (callback) => process.onExit(callback),
  })
  Object.assign(copy.load<{ systemClock: typeof systemClock }>(clock).systemClock, process.clock)
  const sender = copy.load<{ transport: typeof transport; BoundedBody: new () => never } & HttpClient>(client)
  sender.transport.begin = network.transportOf(process, () => new sender.BoundedBody())
  const { RejectedCredentials: credentials } = copy.load<{ RejectedCredentials: typeof RejectedCredentials }>(
    rejections,
  )
  credentials.cost = hashCost
  credentials.stretch = (secret: string, salt: string, length: number, options: ScryptOptions) =>
    new Promise((resolve) => process.queue(() => resolve(scryptSync(secret, salt, length, options))))
  return copy.load<typeof import('../../../nodes/keyholder.ts')>(nodes).registrations
}

function randomOf(random: Random) {
  return {
    randomUUID: () => random.uuid(),
    randomBytes: (size: number) => Buffer.from(Array.from({ length: size }, () => random.between(0, 255))),
  }
}
