import type { FlowMessage, InputRules } from './panel-binding.ts'

/** The fields that the core node of the broker adds to a message. */
interface BrokerFields {
  topic?: unknown
  payload?: unknown
  retain?: unknown
}

/** Input rules for messages of a broker, also while the panel is not open: most of them are for somebody else. */
export const brokerInput: InputRules = {
  // What has no topic was sent by somebody who wants an answer, not by a broker.
  isRequest: ({ topic, retain }) => typeof topic !== 'string' || (isCommand({ topic }) && retain !== true),
  separate: (message) => {
    const { topic, payload } = message
    const original = { ...message }
    if (isCommand({ topic })) message.payload = withoutCode(payload)
    return original as FlowMessage
  },
}

function isCommand({ topic }: BrokerFields): boolean {
  return typeof topic === 'string' && topic.endsWith('/set')
}

/** Returns true for a message that asks a panel to disarm, with any code. */
export function isDisarm({ topic, payload }: BrokerFields): boolean {
  return isCommand({ topic }) && withoutCode(payload) === 'DISARM'
}

/** Returns the payload of a command without a code: a word of Home Assistant, which is all that the others are. */
function withoutCode(payload: unknown): string {
  const entered = textOf(payload)
  if (/^[A-Z_]{1,20}$/.test(entered)) return entered
  const [, action] = /"action"\s*:\s*"([A-Z_]{1,20})"/.exec(entered) ?? []
  return action ?? ''
}

/** Returns the payload of the broker as text; its core node makes an object of JSON if the user wants it. */
export function textOf(payload: unknown): string {
  if (Buffer.isBuffer(payload)) return payload.toString('utf8')
  return typeof payload === 'object' ? JSON.stringify(payload) : String(payload ?? '')
}
