import { faultCatalogue } from '../faults/fault-catalogue.ts'
import { isContact, labelOf } from '../world/device.ts'
import { flag, numeral, Refused, text } from './action-fields.ts'
import { alarms } from './alarms.ts'
import type { ConsoleParts } from './console-view-model.ts'
import { operationsOf } from './console-view-model.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Runs the action of a POST and returns one sentence about the result.
 *
 * @throws Refused if the simulated world does not allow the action
 * @throws RangeError if a field is missing or invalid
 */
export type Action = (body: Body, parts: ConsoleParts) => string

const keypad: Action = (body, { world }) => {
  const panel = world.panel(text(body, 'panel'))
  const id = numeral(body, 'partition')
  const to = text(body, 'to')
  const name = panel.chosen(id)[0]?.plan.name ?? String(id)
  if (to === 'DISARM') {
    panel.disarm(id)
    return `${name}: disarmed.`
  }
  if (to !== 'AWAY' && to !== 'HOME') throw new RangeError('"to" must be AWAY, HOME or DISARM.')
  if (panel.arm(id, to)) return `${name}: armed ${to === 'AWAY' ? 'away' : 'at home'}, the exit delay runs.`
  throw new Refused(`${name} cannot be armed now: it is armed already, or a zone stands open.`)
}

/** `trigger` disturbs a zone for a moment, e.g. by motion. */
const zone: Action = (body, { world }) => {
  const panel = world.panel(text(body, 'panel'))
  const device = panel.zone(numeral(body, 'zone'))
  const does = text(body, 'does')
  const name = labelOf(device)
  if (does === 'open' || does === 'trigger') panel.open(device.device_number)
  if (does === 'close' || does === 'trigger') panel.close(device.device_number)
  if (does === 'trigger') return `${name}: triggered.`
  if (does === 'open') return `${name}: ${isContact(device) ? 'opened' : 'in alarm'}.`
  if (does === 'close') return `${name}: ${isContact(device) ? 'closed' : 'at rest'}.`
  throw new RangeError('"does" must be open, close or trigger.')
}

const tamper: Action = (body, { world }) => {
  const panel = world.panel(text(body, 'panel'))
  const device = panel.zone(numeral(body, 'zone'))
  const on = flag(body, 'on')
  if (on) panel.tamper(device.device_number)
  else panel.restoreTamper(device.device_number)
  return `${labelOf(device)}: case ${on ? 'opened' : 'closed'}.`
}

const battery: Action = (body, { world }) => {
  const panel = world.panel(text(body, 'panel'))
  const device = panel.zone(numeral(body, 'zone'))
  const on = flag(body, 'on')
  if (on) panel.lowBattery(device.id)
  else panel.restoreBattery(device.id)
  return `${labelOf(device)}: battery ${on ? 'low' : 'replaced'}.`
}

const alarm: Action = (body, { world }) => {
  const panel = world.panel(text(body, 'panel'))
  const chosen = alarms.find(({ name }) => name === text(body, 'alarm'))
  if (!chosen?.possible(panel)) throw new RangeError(`Panel ${panel.serial} has no such alarm.`)
  return chosen.setOff(panel)
}

const line: Action = (body, { world }) => {
  const panel = world.panel(text(body, 'panel'))
  const online = flag(body, 'online')
  if (online) panel.goOnline()
  else panel.goOffline()
  return `${panel.plan.alias} is ${online ? 'online' : 'offline'}.`
}

const speed: Action = (body, { world }) => {
  world.time.setSpeed(numeral(body, 'speed'))
  return `The clock runs at ${world.time.speed} times its speed.`
}

const expire: Action = (body, { accounts }) => {
  const tokens = text(body, 'tokens')
  if (tokens === 'sessions') accounts.expireSessions()
  else if (tokens === 'users') accounts.expireUserTokens()
  else throw new RangeError('"tokens" must be sessions or users.')
  return tokens === 'sessions' ? 'Every panel session has ended.' : 'Every user token and session has ended.'
}

/** An empty `operation` means all requests. */
const fault: Action = (body, { faults, apis }) => {
  const name = text(body, 'fault')
  const operation = text(body, 'operation') || undefined
  const on = flag(body, 'on')
  const where = operation ?? 'all operations'
  const fits = faults.running.filter((one) => one.name === name && one.operation === operation)
  for (const running of fits) running.end()
  if (!on) return `Off: ${name}, at ${where}.`
  const made = faultCatalogue.map((make) => make()).find((one) => one.name === name)
  if (!made) throw new RangeError(`There is no fault "${name}".`)
  if (operation !== undefined && !operationsOf(apis).includes(operation))
    throw new RangeError(`There is no operation "${operation}".`)
  faults.start(made, operation === undefined ? {} : { operation })
  return `On: ${name}, at ${where}.`
}

const noFaults: Action = (_body, { faults }) => {
  faults.clear()
  return 'All faults are off.'
}

/** All actions by their name in the path. */
export const actions: ReadonlyMap<string, Action> = new Map([
  ['keypad', keypad],
  ['zone', zone],
  ['tamper', tamper],
  ['battery', battery],
  ['alarm', alarm],
  ['line', line],
  ['speed', speed],
  ['expire', expire],
  ['fault', fault],
  ['no-faults', noFaults],
])
