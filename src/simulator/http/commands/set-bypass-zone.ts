import { type Answer, isAnswer } from '../http-response.ts'
import type { SessionQuestion } from '../operations/operation.ts'
import { incorrect, integer, readCommand, truth } from './command-fields.ts'
import type { CarryOut } from './processes.ts'

/** POST set_bypass_zone (field fact): `zone` is the device number; possible only while disarmed. */
export function setBypassZone({ body, panel, session }: SessionQuestion): CarryOut | Answer {
  const read = readCommand(body, { zone: integer, set: truth })
  if (isAnswer(read)) return read
  const { zone, set } = read.fields
  const device = panel.devices.find((one) => one.device_type === 'ZONE' && one.device_number === zone)
  if (!device) return incorrect('zone')
  return () => {
    if (!device.traits.bypass) return 'BypassNotAllowed'
    const armed = panel.partitions.filter(({ state }) => state !== 'DISARM')
    if (armed.some(({ plan }) => plan.id === -1 || device.partitions.includes(plan.id))) return 'NotDisarmed'
    panel.bypass(zone, set, { user: session.user })
    return null
  }
}
