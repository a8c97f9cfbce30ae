import { type HttpResponse, isResponse } from '../http-response.ts'
import type { SessionRequest } from '../operations/operation.ts'
import { incorrectField, integer, readCommand, string } from './command-fields.ts'
import type { CommandExecutor } from './processes.ts'

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
export function setName({ body, panel }: SessionRequest): CommandExecutor | HttpResponse {
  const read = readCommand(body, { class: string, id: integer, name: string })
  if (isResponse(read)) return read
  const { id, name } = read.fields
  const type = deviceTypes.get(read.fields.class)
  if (type === undefined) return incorrectField('class')
  const device = panel.devices.find((one) => one.device_type === type && one.device_number === id)
  if (!device) return incorrectField('id')
  return () => {
    device.name = name
    return null
  }
}
