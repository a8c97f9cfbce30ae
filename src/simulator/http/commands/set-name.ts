import { type Answer, isAnswer } from '../http-response.ts'
import type { SessionQuestion } from '../operations/operation.ts'
import { incorrect, integer, readCommand, word } from './command-fields.ts'
import type { CarryOut } from './processes.ts'

/**
 * The kinds of things that can be renamed, by the command's word; no client shows the words, so they are
 * ours.
 */
const deviceTypes: ReadonlyMap<string, string> = new Map([
  ['zone', 'ZONE'],
  ['siren', 'WL_SIREN'],
  ['keypad', 'WIRELESS_COMMANDER'],
  ['keyfob', 'KEYFOB'],
  ['proxy_tag', 'PROXY_TAG'],
  ['repeater', 'REPEATER'],
  ['pgm', 'PGM'],
])

/** POST set_name (field fact): names the device `id`, counted within its `class`. */
export function setName({ body, panel }: SessionQuestion): CarryOut | Answer {
  const read = readCommand(body, { class: word, id: integer, name: word })
  if (isAnswer(read)) return read
  const { id, name } = read.fields
  const type = deviceTypes.get(read.fields.class)
  if (type === undefined) return incorrect('class')
  const device = panel.devices.find((one) => one.device_type === type && one.device_number === id)
  if (!device) return incorrect('id')
  return () => {
    device.name = name
    return null
  }
}
