import { deviceWarnings } from '../../service/catalogue/device-types.ts'
import { faultCatalogue } from '../faults/fault-catalogue.ts'
import { getLabel, isContact } from '../world/device.ts'
import { optionValues } from '../world/panel-options.ts'
import { alarms } from './alarms.ts'
import { type ConsoleDependencies, listOperations } from './console-view-model.ts'
import { ActionError, type Sentence, say } from './sentence.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Runs the action of a POST and returns one sentence about the result.
 *
 * @throws ActionError if the simulated world does not allow the action
 * @throws RangeError if a field is missing or invalid
 */
export type Action = (body: Body, dependencies: ConsoleDependencies) => Sentence

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
    return say('{name}: disarmed.', { name })
  }
  if (mode !== 'AWAY' && mode !== 'HOME') throw new RangeError('"to" must be AWAY, HOME or DISARM.')
  if (panel.arm(id, mode))
    return mode === 'AWAY'
      ? say('{name}: armed away, the exit delay is running.', { name })
      : say('{name}: armed at home, the exit delay is running.', { name })
  throw new ActionError(
    '{name} cannot be armed now: it is already armed, a zone is open, or a trouble is in the way. Disarm it, close the zone or end the trouble first.',
    { name },
  )
}

/** Opens, closes or, for a moment, triggers a zone. */
const changeZone: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const change = stringField(body, 'does')
  const name = getLabel(device)
  if (change === 'open' || change === 'trigger') panel.open(device.device_number)
  if (change === 'close' || change === 'trigger') panel.close(device.device_number)
  if (change === 'trigger') return say('{name}: triggered.', { name })
  if (change === 'open')
    return isContact(device) ? say('{name}: opened.', { name }) : say('{name}: in alarm.', { name })
  if (change === 'close')
    return isContact(device) ? say('{name}: closed.', { name }) : say('{name}: back to normal.', { name })
  throw new RangeError('"does" must be open, close or trigger.')
}

const setTamper: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const on = booleanField(body, 'on')
  if (on) panel.tamper(device.device_number)
  else panel.restoreTamper(device.device_number)
  const name = getLabel(device)
  return on ? say('{name}: case opened.', { name }) : say('{name}: case closed.', { name })
}

const setBattery: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const on = booleanField(body, 'on')
  if (on) panel.lowBattery(device.id)
  else panel.restoreBattery(device.id)
  const name = getLabel(device)
  return on ? say('{name}: battery low.', { name }) : say('{name}: battery replaced.', { name })
}

const setMissing: Action = (body, { world }) => {
  const { panel, device } = zoneOf(body, world)
  const on = booleanField(body, 'on')
  if (on) panel.loseDevice(device.id)
  else panel.hearDevice(device.id)
  const name = getLabel(device)
  return on
    ? say('{name}: the panel does not hear it.', { name })
    : say('{name}: the panel hears it again.', { name })
}

const setJammed: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const on = booleanField(body, 'on')
  if (on) panel.jam()
  else panel.endJam()
  return on ? say('The radio of the panel is jammed.') : say('The radio of the panel is free again.')
}

const setPower: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const on = booleanField(body, 'on')
  if (on) panel.restorePower()
  else panel.cutPower()
  return on
    ? say('The panel has mains power again.')
    : say('The panel has no mains power and goes on by its battery.')
}

/** Begins or ends a warning of a device; `type` is one of the words that are known. */
const changeWarning: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const device = panel.device(numberField(body, 'device'))
  const type = stringField(body, 'type')
  if (!deviceWarnings.has(type)) throw new RangeError(`Unknown warning "${type}": choose one of the list.`)
  const on = booleanField(body, 'on')
  panel.changeWarning(device.id, type, on)
  const values = { name: getLabel(device), type }
  return on ? say('{name}: {type} is reported.', values) : say('{name}: {type} is over.', values)
}

/** Sets an option, as an installer does; `value` is one of those that the option can have. */
const setOption: Action = (body, { world }) => {
  const panel = world.panel(stringField(body, 'panel'))
  const name = stringField(body, 'option')
  const values: readonly unknown[] = Object.entries(optionValues).find(([key]) => key === name)?.[1] ?? []
  const value = readOwn(body, 'value')
  if (!values.includes(value))
    throw new RangeError(
      `The option "${name}" does not exist or cannot have this value: choose one of the list.`,
    )
  panel.setOptions({ [name]: value })
  return say('{name} has a new setting.', { name: panel.plan.alias })
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
  const name = panel.plan.alias
  return online ? say('{name} is online.', { name }) : say('{name} is offline.', { name })
}

const setSpeed: Action = (body, { world }) => {
  world.time.setSpeed(numberField(body, 'speed'))
  return say('The clock runs at {speed} times the normal speed.', { speed: world.time.speed })
}

const expireTokens: Action = (body, { accounts }) => {
  const tokens = stringField(body, 'tokens')
  if (tokens === 'sessions') accounts.expireSessions()
  else if (tokens === 'users') accounts.expireUserTokens()
  else throw new RangeError('"tokens" must be sessions or users.')
  return tokens === 'sessions'
    ? say('All panel sessions have expired.')
    : say('All user tokens and sessions have expired.')
}

/** Turns a fault on or off for one operation; an empty `operation` means all requests. */
const switchFault: Action = (body, { faults, apis }) => {
  const name = stringField(body, 'fault')
  const operation = stringField(body, 'operation') || undefined
  const on = booleanField(body, 'on')
  const matching = faults.running.filter((one) => one.name === name && one.operation === operation)
  for (const running of matching) running.end()
  if (!on)
    return operation === undefined
      ? say('Turned off for all operations: {name}.', { name })
      : say('Turned off for {operation}: {name}.', { name, operation })
  const created = faultCatalogue.map((make) => make()).find((one) => one.name === name)
  if (!created) throw new RangeError(`Unknown fault "${name}": choose one of the list.`)
  if (operation !== undefined && !listOperations(apis).includes(operation))
    throw new RangeError(`Unknown operation "${operation}": choose one of the list.`)
  faults.start(created, operation === undefined ? {} : { operation })
  return operation === undefined
    ? say('Turned on for all operations: {name}.', { name })
    : say('Turned on for {operation}: {name}.', { name, operation })
}

/** Switches the household of a panel on or off. */
const setHousehold: Action = (body, { world }) => {
  const { residents } = world.panel(stringField(body, 'panel'))
  const on = booleanField(body, 'on')
  if (!residents) throw new ActionError('Nobody lives with this panel.')
  residents.turn(on)
  return on
    ? say('The household goes on with its day.')
    : say('The household does nothing by itself any more.')
}

const clearFaults: Action = (_body, { faults }) => {
  faults.clear()
  return say('All faults are off.')
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
  ['missing', undisturbed(setMissing)],
  ['jam', undisturbed(setJammed)],
  ['power', undisturbed(setPower)],
  ['warning', undisturbed(changeWarning)],
  ['option', undisturbed(setOption)],
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
