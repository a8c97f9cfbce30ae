import { type HttpResponse, isResponse } from '../http-response.ts'
import type { SessionRequest } from '../operation.ts'
import { boolean, incorrectField, integer, readCommand } from '../operations/command-fields.ts'
import type { CommandExecutor } from '../processes.ts'

/** POST set_bypass_zone (field fact): `zone` is the device number; possible only while disarmed. */
export function setBypassZone({ body, panel, session }: SessionRequest): CommandExecutor | HttpResponse {
  const read = readCommand(body, { zone: integer, set: boolean })
  if (isResponse(read)) return read
  const { zone, set } = read.fields
  const device = panel.devices.find((one) => one.device_type === 'ZONE' && one.device_number === zone)
  if (!device) return incorrectField('zone')
  return () => {
    if (!device.traits.bypass) return 'BypassNotAllowed'
    const armed = panel.partitions.filter(({ state }) => state !== 'DISARM')
    if (armed.some(({ plan }) => plan.id === -1 || device.partitions.includes(plan.id))) return 'NotDisarmed'
    panel.bypass(zone, set, { user: session.user })
    return null
  }
}
