import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { getOrCreate } from '../../concurrency.ts'
import type { UsedCommand } from '../lua/check.lua.ts'
import { prelude } from '../lua/prelude.lua.ts'
import { type Argument, MissingScript, type Sender } from './connection.ts'
import { away } from './redis-error.ts'
import type { SharedClock } from './shared-clock.ts'

/** A script as the server knows it, by its digest. */
export interface Script {
  readonly source: string
  readonly digest: string
}

/** All scripts by their bodies, for a server right after the handshake. */
const allScripts = new Map<string, Script>()

/** Returns a script that begins by moving the shared clock on. */
export function script(body: string): Script {
  return getOrCreate(allScripts, body, () => {
    const source = prelude + body
    return { source, digest: createHash('sha1').update(source).digest('hex') }
  })
}

/** Returns the scripts of a file, by their names. */
export function scriptsOf<N extends string>(bodies: Readonly<Record<N, string>>): Record<N, Script> {
  const named = Object.entries<string>(bodies).map(([name, body]) => [name, script(body)])
  return Object.fromEntries(named) as Record<N, Script>
}

/**
 * Returns the name of a key in Redis. The name of the cluster is the hash tag, so that a Redis Cluster keeps all keys of it on
 * one server.
 * @param name the name in the cluster; `*` for all of them
 */
export function keyOf(clusterName: string, name: string): string {
  return `keyholder:{${clusterName}}:${name}`
}

/** Part of an answer, with texts in the form of `T`. */
export type Reply<T> = T | number | null | readonly Reply<T>[]

/** The dependencies of the scripts of a cluster. */
interface ScriptOptions {
  sender: Sender
  sharedClock: SharedClock
  clock: Clock
  clusterName: string
  /** Called if the server has forgotten the handshake, or another instance has made it since with a server that had. */
  onForgotten?(): void
}

/** Runs scripts on the server, and notes the shared time that each one tells. */
export class Scripts {
  readonly #options: ScriptOptions
  /** Runs the scripts of `runUntilAnswered` again whose latest run was not answered. */
  #unanswered: (() => void)[] = []

  constructor(options: ScriptOptions) {
    this.#options = options
  }

  /** Returns the same scripts sent in another way, such as before the handshake. */
  through(sender: Sender): Scripts {
    return new Scripts({ ...this.#options, sender })
  }

  /**
   * Makes the scripts known to the server. Otherwise the first use of one would be sent twice, and overtaken by what
   * is sent after it.
   * @throws KeyholderError
   */
  async load(): Promise<void> {
    const { sender } = this.#options
    await Promise.all([...allScripts.values()].map(({ source }) => sender.send('SCRIPT', ['LOAD', source])))
  }

  /**
   * Runs a script once.
   * @param keys the names after that of the clock, without the prefix
   * @param args the arguments after that of the clock
   * @returns the answer without the time
   * @throws KeyholderError
   */
  async run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[] = [],
  ): Promise<Reply<string>[]> {
    return (await this.runBinary(script, keys, args)).map(inText)
  }

  /** Does the same as `run`, for a script whose effect may be missed: an answer that does not come is empty. Never rejects. */
  tryRun(script: Script, keys: readonly string[], args: readonly Argument[] = []): Promise<Reply<string>[]> {
    return this.run(script, keys, args).catch(() => [])
  }

  /**
   * Does the same as `run`, for a script for whose effect other instances wait: one that is not answered is run again by
   * `retryUnanswered`. It must have no effect but the first one if the server has it several times. Never throws.
   */
  runUntilAnswered(script: Script, keys: readonly string[], args: readonly Argument[]): void {
    this.run(script, keys, args).catch(() => {
      this.#unanswered.push(() => this.runUntilAnswered(script, keys, args))
    })
  }

  /** Runs the scripts again that were not answered, because the server has answered something else. Never throws. */
  retryUnanswered(): void {
    for (const run of this.#unanswered.splice(0)) run()
  }

  /** Does the same as `run`, with texts as buffers. */
  async runBinary(
    { source, digest }: Script,
    keys: readonly string[],
    args: readonly Argument[] = [],
  ): Promise<Reply<Buffer>[]> {
    try {
      return await this.#run('EVALSHA', digest, keys, args)
    } catch (thrown) {
      if (!(thrown instanceof MissingScript)) throw thrown
      return this.#run('EVAL', source, keys, args)
    }
  }

  /**
   * Sends a command that needs no script, because it neither depends on the time nor on another key.
   * @param keys the names without the prefix
   * @returns the answer, texts as buffers
   * @throws KeyholderError
   */
  send(command: UsedCommand, keys: readonly string[], args: readonly Argument[] = []): Promise<unknown> {
    const { sender, clusterName } = this.#options
    return sender.send(command, [...keys.map((key) => keyOf(clusterName, key)), ...args])
  }

  async #run(
    command: string,
    which: string,
    keys: readonly string[],
    args: readonly Argument[],
  ): Promise<Reply<Buffer>[]> {
    const { sender, sharedClock, clock, clusterName, onForgotten } = this.#options
    const names = ['clock', ...keys].map((key) => keyOf(clusterName, key))
    const asked = clock.monotonic()
    const latest = sharedClock.latestPossible()
    const answer = await sender.send(command, [which, names.length, ...names, latest, ...args])
    const [time, ...rest] = answer as [number, ...Reply<Buffer>[]]
    sharedClock.note(time, asked, clock.monotonic())
    if (Buffer.isBuffer(rest[0]) && `${rest[0]}` === 'forgotten') {
      onForgotten?.()
      throw away('the server has lost its data')
    }
    return rest
  }
}

/** Returns the parts of a list for a script that handles only so many at a time: a longer one keeps the others waiting. */
export function* chunks<T>(list: readonly T[], max: number): Iterable<readonly T[]> {
  for (let from = 0; from < list.length; from += max) yield list.slice(from, from + max)
}

/** Returns the pairs in a list of fields and values. */
export function* pairsIn<T>(list: readonly T[]): Iterable<[T, T]> {
  for (let index = 0; index + 1 < list.length; index += 2) yield [list[index] as T, list[index + 1] as T]
}

function inText(reply: Reply<Buffer>): Reply<string> {
  if (Buffer.isBuffer(reply)) return reply.toString()
  return Array.isArray(reply) ? reply.map(inText) : (reply as number | null)
}

/** The key of the users at the service of all clusters on a server. */
export const usersKey = keyOf('', 'users')

/** The parts of a cluster that its stores need. */
export interface StoreParts {
  scripts: Scripts
  sharedClock: SharedClock
  clock: Clock
  membership: { readonly session: number; readonly isValid: boolean }
  clusterName: string
  /** The name of this instance. */
  instance: string
  /** Returns the generation of the server's data; undefined before the first handshake. */
  generation(): string | undefined
}

/** The parts that each store of a service user needs. */
export interface UserParts extends StoreParts {
  /** A short hash of host and e-mail. */
  user: string
}

/** The parts that each store of a panel needs. */
export interface PanelParts extends StoreParts {
  /** A digest of the panel: it is readable on the server. */
  panel: string
  /** The serial number, from which the key of what only instances with the panel may read is made. */
  serial: string
}
