import type { Node } from 'node-red'
import { asKeyholderError, KeyholderError, shorten } from '../../src/service/error.ts'
import type { FlowMessage } from '../binding/panel-binding.ts'

/** Characters of a title: about what the screen of a locked phone shows. */
const maxTitleLength = 60

/** The fields of a payload that a person reads, by the type of the node that sends it. */
const shownFields: Readonly<Record<string, readonly string[]>> = {
  'keyholder-incident': ['title', 'summary'],
  'keyholder-conditions': ['text'],
  'keyholder-events': ['description'],
}

/** Marks what a node sends during a rehearsal. */
interface Marking {
  /** The word before each text that a person reads. */
  word: string
  /** Ends with the rehearsal: what comes later is not sent. */
  signal: AbortSignal
  /** Called before each message is sent. */
  onSend(node: Node, message: FlowMessage): void
}

/**
 * Returns a copy of a message with `rehearsal: true`; the texts for people begin with the word.
 * @param type of the node that sends it
 */
export function marked(message: FlowMessage, type: string, word: string): FlowMessage {
  const fields = shownFields[type] ?? []
  const { payload } = message
  const told = Array.isArray(payload)
    ? payload.map((one) => prefixed(one, fields, word))
    : prefixed(payload, fields, word)
  return { ...message, payload: told, rehearsal: true }
}

function prefixed(payload: unknown, fields: readonly string[], word: string): unknown {
  if (typeof payload !== 'object' || payload === null || fields.length === 0) return payload
  const texts: Record<string, string> = {}
  for (const [field, value] of Object.entries(payload)) {
    if (!fields.includes(field) || typeof value !== 'string' || value === '') continue
    const text = `${word}: ${value}`
    texts[field] = field === 'title' ? shorten(text, maxTitleLength) : text
  }
  return { ...payload, ...texts }
}

/** Returns the error with a sentence that begins with the word. */
export function markedError(thrown: unknown, word: string): KeyholderError {
  const { code, message, status, reason } = asKeyholderError(thrown)
  const cause = { ...(status !== undefined && { status }), ...(reason !== undefined && { reason }) }
  return new KeyholderError(code, `${word}: ${message}`, cause)
}

/**
 * Returns a node that sends through another one during a rehearsal: every message and error is marked, and it is never
 * closed by itself.
 */
export function facadeOf(node: Node, { word, signal, onSend }: Marking): Node {
  const mark = (message: FlowMessage) => {
    const copy = marked(message, node.type, word)
    onSend(node, copy)
    return copy
  }
  const markAll = (sent: unknown): unknown => {
    if (Array.isArray(sent)) return sent.map(markAll)
    return typeof sent === 'object' && sent !== null ? mark(sent as FlowMessage) : sent
  }
  const facade: Node = Object.create(node)
  return Object.assign(facade, {
    send: (sent: unknown) => {
      if (!signal.aborted) node.send(markAll(sent) as FlowMessage)
    },
    status: (status: Parameters<Node['status']>[0]) => node.status(status),
    error: (error: unknown, message: object = {}) =>
      node.error(markedError(error, word), { ...message, rehearsal: true }),
    warn: (line: unknown) => node.warn(`${word}: ${line}`),
    log: (line: unknown) => node.log(`${word}: ${line}`),
    // The behavior ends with the rehearsal, not with the node.
    on: () => facade,
  })
}
