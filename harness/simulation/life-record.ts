import { createHash } from 'node:crypto'
import type { Disk } from './disk/disk.ts'
import type { SimulatedFlow } from './node-red/simulated-flow.ts'
import type { SentRequest } from './process/network.ts'

/** The lines in which all is noted that nodes send, show, request, log and keep in files in a life: two lives of one seed have the same ones. */
export class LifeRecord {
  readonly lines: string[] = []
  /** The number of requests that are noted. */
  #requests = 0

  /**
   * Notes something that a node has told.
   * @param at milliseconds since the life began
   * @param what its kind, such as the name of the node that sent it
   */
  note(at: number, what: string, thing: unknown): void {
    this.lines.push(`${at} ${what} ${JSON.stringify(thing)}`)
  }

  /** Notes the requests that were sent since it was called last. */
  noteRequests(all: readonly SentRequest[]): void {
    for (const { at, method, url } of all.slice(this.#requests)) this.note(at, method, url.pathname)
    this.#requests = all.length
  }

  /** Notes what is left at the end of a life: the log of a flow, and the files of a machine. */
  noteEnd(at: number, { logged, errors }: SimulatedFlow, disk: Disk): void {
    for (const { level, msg, id } of logged)
      this.note(at, 'log', { level, id, msg: withoutStack(String(msg)) })
    for (const error of errors) this.note(at, 'error', String(error))
    for (const line of disk.snapshot().split('\n')) this.note(at, 'file', line)
  }

  /** A digest of all lines, in hexadecimal. */
  get digest(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex')
  }

  /** Returns the first line that differs from the one of another record, with its number from 1; null if none does. */
  differenceFrom(other: LifeRecord): { line: number; mine: string; others: string } | null {
    const count = Math.max(this.lines.length, other.lines.length)
    for (let at = 0; at < count; at += 1) {
      const [mine = 'nothing', others = 'nothing'] = [this.lines[at], other.lines[at]]
      if (mine !== others) return { line: at + 1, mine, others }
    }
    return null
  }
}

/** Returns a text without the lines of a stack, which name whoever has the life lived. */
function withoutStack(text: string): string {
  return text.replace(/\n\s+at .*/g, '')
}
