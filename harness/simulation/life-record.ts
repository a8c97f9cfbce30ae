import { createHash } from 'node:crypto'
import type { SentRequest } from './process/network.ts'

/** The number in the id of a node, which differs in each life that one process lives. */
const numberOfPart = /(\/[a-z]+)\.\d+(?=\\?")/g

/** The lines in which all is noted that nodes send, show and request in a life: two lives of one seed have the same ones. */
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
    this.lines.push(`${at} ${what} ${JSON.stringify(thing).replace(numberOfPart, '$1')}`)
  }

  /** Notes the requests that were sent since it was called last. */
  noteRequests(all: readonly SentRequest[]): void {
    for (const { at, method, url } of all.slice(this.#requests)) this.note(at, method, url.pathname)
    this.#requests = all.length
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
