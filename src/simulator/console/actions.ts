import { faultCatalogue } from '../faults/fault-catalogue.ts'
import { getLabel, isContact } from '../world/device.ts'
import { ActionError, alarms } from './alarms.ts'
import { type ConsoleDependencies, listOperations } from './console-view-model.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Runs the action of a POST and returns one sentence about the result.
 *
 * @throws ActionError if the simulated world does not allow the action
 * @throws RangeError if a field is missing or invalid
 */
export type Action = (body: Body, dependencies: ConsoleDependencies) => string

/** Returns the zone that the fields of an action name, with its panel. */
function zoneOf(body: Body, world: ConsoleDependencies['world']) {
  const panel = world.panel(stringField(body, 'panel'))
  return { panel, device: panel.zone(numberField(body, 'zone')) }
}

const pressKeypad: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const id = numberField(body, 'partition')
  const mode = stringField(body, 'to')
  const name = panel.findPartitions(id)[0]?.plan.name ?? String(id)
  if (mode === 'DISARM') {
    panel.disarm(id)
    return `${name}: disarmed.`
  }
  if (mode !== 'AWAY' && mode !== 'HOME') throw new RangeError('"to" must be AWAY, HOME or DISARM.')
  if (panel.arm(id, mode))
    return `${name}: armed ${mode === 'AWAY' ? 'away' : 'at home'}, the exit delay is running.`
  throw new ActionError(
    `${name} cannot be armed now: it is already armed, or a zone is open. Disarm it or close the zone first.`,
  )
}

/** Opens, closes or, for a moment, triggers a zone. */
const changeZone: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const change = stringField(body, 'does')
  const name = getLabel(device)
  if (change === 'open' || change === 'trigger') panel.open(device.device_number)
  if (change === 'close' || change === 'trigger') panel.close(device.device_number)
  if (change === 'trigger') return `${name}: triggered.`
  if (change === 'open') return `${name}: ${isContact(device) ? 'opened' : 'in alarm'}.`
  if (change === 'close') return `${name}: ${isContact(device) ? 'closed' : 'back to normal'}.`
  throw new RangeError('"does" must be open, close or trigger.')
}

const setTamper: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const on = booleanField(body, 'on')
  if (on) panel.tamper(device.device_number)
  else panel.restoreTamper(device.device_number)
  return `${getLabel(device)}: case ${on ? 'opened' : 'closed'}.`
}

const setBattery: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const on = booleanField(body, 'on')
  if (on) panel.lowBattery(device.id)
  else panel.restoreBattery(device.id)
  return `${getLabel(device)}: battery ${on ? 'low' : 'replaced'}.`
}

const triggerAlarm: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const found = alarms.find(({ name }) => name === stringField(body, 'alarm'))
  if (!found?.isPossible(panel))
    throw new RangeError(`Panel ${panel.serial} does not have this alarm: choose one of the list.`)
  return found.trigger(panel)
}

const setOnline: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const online = booleanField(body, 'online')
  if (online) panel.goOnline()
  else panel.goOffline()
  return `${panel.plan.alias} is ${online ? 'online' : 'offline'}.`
}

const setSpeed: Action = (body, { world }) => {
  world.time.setSpeed(numberField(body, 'speed'))
  return `The clock runs at ${world.time.speed} times the normal speed.`
}

const expireTokens: Action = (body, { accounts }) => {
  const tokens = stringField(body, 'tokens')
  if (tokens === 'sessions') accounts.expireSessions()
  else if (tokens === 'users') accounts.expireUserTokens()
  else throw new RangeError('"tokens" must be sessions or users.')
  return tokens === 'sessions'
    ? 'All panel sessions have expired.'
    : 'All user tokens and sessions have expired.'
}

/** Turns a fault on or off for one operation; an empty `operation` means all requests. */
const switchFault: Action = (body, { faults, apis }) => {
  const name = stringField(body, 'fault')
  const operation = stringField(body, 'operation') || undefined
  const on = booleanField(body, 'on')
  const place = operation ?? 'all operations'
  const matching = faults.running.filter((one) => one.name === name && one.operation === operation)
  for (const running of matching) running.end()
  if (!on) return `Turned off for ${place}: ${name}.`
  const created = faultCatalogue.map((make) => make()).find((one) => one.name === name)
  if (!created) throw new RangeError(`Unknown fault "${name}": choose one of the list.`)
  if (operation !== undefined && !listOperations(apis).includes(operation))
    throw new RangeError(`Unknown operation "${operation}": choose one of the list.`)
  faults.start(created, operation === undefined ? {} : { operation })
  return `Turned on for ${place}: ${name}.`
}

/** Switches the household of a panel on or off. */
const setHousehold: Action = (body, { world }) => {
  const { residents } = world.panel(stringField(body, 'panel'))
  const on = booleanField(body, 'on')
  if (!residents) throw new ActionError('Nobody lives with this panel.')
  residents.turn(on)
  return on ? 'The household goes on with its day.' : 'The household does nothing by itself any more.'
}

const clearFaults: Action = (_body, { faults }) => {
  faults.clear()
  return 'All faults are off.'
}

/** Returns an action for which the household of the panel gives way first. */
function undisturbed(action: Action): Action {
  return (body, dependencies) => {
    dependencies.world.panel(stringField(body, 'panel')).residents?.giveWay()
    return action(body, dependencies)
  }
}

/** All actions by their names in the path. */
export const actions: ReadonlyMap<string, Action> = new Map([
  ['keypad', undisturbed(pressKeypad)],
  ['zone', undisturbed(changeZone)],
  ['tamper', undisturbed(setTamper)],
  ['battery', undisturbed(setBattery)],
  ['alarm', undisturbed(triggerAlarm)],
  ['line', undisturbed(setOnline)],
  ['household', setHousehold],
  ['speed', setSpeed],
  ['expire', expireTokens],
  ['fault', switchFault],
  ['no-faults', clearFaults],
])

/**
 * Returns the text in a field.
 * @throws RangeError if it is missing or has another type
 */
function stringField(body: Body, field: string): string {
  const value = readOwn(body, field)
  if (typeof value === 'string') return value
  throw new RangeError(`"${field}" must be a text.`)
}

/**
 * Returns the number in a field.
 * @throws RangeError if it is missing or has another type
 */
function numberField(body: Body, field: string): number {
  const value = readOwn(body, field)
  if (typeof value === 'number') return value
  throw new RangeError(`"${field}" must be a number.`)
}

/**
 * Returns the boolean in a field.
 * @throws RangeError if it is missing or has another type
 */
function booleanField(body: Body, field: string): boolean {
  const value = readOwn(body, field)
  if (typeof value === 'boolean') return value
  throw new RangeError(`"${field}" must be true or false.`)
}

function readOwn(body: Body, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined
}
