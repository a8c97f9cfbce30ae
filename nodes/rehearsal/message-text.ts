import { onOneLine, shorten } from '../../src/service/error.ts'

/** Characters of a title, and of a text, in the report. */
const maxTextLength = 300

/** Returns what a person reads of a message to a messenger: its title and its text, on a line each; empty if it has none. */
export function textOfMessage(message: Readonly<Record<string, unknown>>): string {
  const payload = parsed(message.payload)
  const fields = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  const first = (...texts: unknown[]) => texts.find((text) => typeof text === 'string' && text !== '')
  const title = first(fields.title, message.title, fields.subject)
  const body = first(payload, fields.message, fields.summary, fields.text, fields.content, message.text)
  const text = [title, body === title ? undefined : body].filter((part) => typeof part === 'string')
  return text.map((part) => shorten(onOneLine(part), maxTextLength)).join('\n')
}

function parsed(payload: unknown): unknown {
  if (typeof payload !== 'string' || !payload.startsWith('{')) return payload
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}
