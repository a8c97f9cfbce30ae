import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Node } from 'node-red'
import { parseJson } from '../../src/service/schema.ts'
import type { FlowMessage } from '../binding/panel-binding.ts'

/** The nodes whose flows keep what they were told last: they say at the end of a rehearsal how the real panel is. */
export const lastingTypes: readonly string[] = [
  'keyholder-state',
  'keyholder-readings',
  'keyholder-conditions',
]

/** For each node that has sent a marked message, by id: the messages that close the incidents that it has opened. */
export type Marks = Record<string, FlowMessage[]>

/**
 * Notes which nodes have sent a marked message, in a small file and before the message is sent: their flows must hear the
 * truth again, even if Node-RED is killed in the rehearsal.
 */
export class MarkedNodes {
  readonly #path: string
  readonly #over: string
  readonly #marks: Marks

  /** @param over the title of an incident that is closed because the rehearsal is over */
  constructor(path: string, over: string) {
    this.#path = path
    this.#over = over
    // What an earlier rehearsal has left, if the real panel has not answered since.
    this.#marks = readMarks(path)
  }

  /**
   * Notes a marked message that a node is about to send.
   * @throws the file system's error; the message must not be sent then
   */
  note({ id, type }: Pick<Node, 'id' | 'type'>, message: FlowMessage): void {
    const known = this.#marks[id]
    if (type === 'keyholder-incident') this.#marks[id] = this.#openIncidents(known ?? [], message)
    else if (known !== undefined || !lastingTypes.includes(type)) return
    else this.#marks[id] = []
    writeMarks(this.#path, this.#marks)
  }

  #openIncidents(known: readonly FlowMessage[], message: FlowMessage): FlowMessage[] {
    const { payload, late, redelivered, ...fields } = message
    const { news, ...incident } = { ...(payload as Record<string, unknown>) }
    const others = known.filter((one) => (one.payload as { id?: unknown }).id !== incident.id)
    if (incident.status === 'closed') return others
    // The title is what a phone shows first: it must not go on telling an alarm.
    const texts = { title: this.#over, summary: incident.title }
    return [...others, { ...fields, payload: { ...incident, ...texts, status: 'closed' } }]
  }
}

/**
 * Returns what the file of a panel notes; nothing if there is none, or it is damaged.
 * @throws the file system's error if it cannot be read now
 */
export function readMarks(path: string): Marks {
  const marks = parseJson(contentOf(path)) as Marks | undefined
  return Object.fromEntries(Object.entries({ ...marks }).filter(([, one]) => Array.isArray(one)))
}

/** Replaces the file, at once: a message that is being sent waits for it. */
export function writeMarks(path: string, marks: Marks): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, JSON.stringify(marks), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Removes the file, and what a full disk has left of a new one. */
export function removeMarks(path: string): void {
  for (const one of [path, `${path}.new`]) rmSync(one, { force: true })
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw thrown
  }
}
