import { hour, minute } from '../../../src/duration.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { hasWarning, setWarning } from '../../../src/simulator/world/device.ts'
import type { Panel } from '../../../src/simulator/world/panel.ts'
import { Installation } from '../../../src/simulator/world/sample-sites.ts'
import { userSource } from '../../../src/simulator/world/users.ts'
import { type Deed, type House, reportsArmings } from '../life.ts'
import { type Action, WorldRecord } from './world-record.ts'

/** Number of detectors of the sample house that are zones. */
export const sampleZones = 12

/** The zone of a house that can be in two partitions: the winter garden. */
export const sharedZone = 8

/** The type of an event that changes nothing: a periodic test. */
export const reportType = 57

/** Milliseconds in which answers may not show a disarm: nodes do not run, or do not reach the panel. */
const longestUnseen = 10 * minute

/** Returns the record of the panel of a house, which Ben has armed and disarmed the day before. */
export function furnish(
  simulator: Simulator,
  { hasAlarmList, hasSharedZone, moreDetectors, panelOptions, startsAt }: House,
): WorldRecord {
  const panel = simulator.world.panel(simulator.serials[0] ?? '')
  if (hasSharedZone) Object.assign(panel.zone(sharedZone), { partitions: [1, 2] })
  const installation = new Installation(900_000, '')
  for (let count = 0; count < sampleZones + moreDetectors; count += 1)
    installation.enroll('ZONE', 'CONTACT', { zone: 'PERIMETER', at: `Window ${count + 1}` })
  for (const device of installation.devices.slice(sampleZones)) panel.addDevice(device)
  const world = new WorldRecord(panel, hasAlarmList)
  const ben = userSource(panel.plan.users, { user: 'Ben' })
  const partitions = panel.partitions.map(({ plan }) => plan.id)
  const log = (type_id: number, value: Action['value'], time: number) => {
    panel.log({
      type_id,
      ...ben,
      partitions,
      datetime: new Date(time).toISOString().slice(0, 19).replace('T', ' '),
    })
    for (const partition of partitions)
      world.actions.push({
        person: 'Ben',
        value,
        partition,
        at: Number.NEGATIVE_INFINITY,
        time,
        isRepeated: false,
      })
  }
  log(86, 'AWAY', startsAt - 16 * hour)
  log(89, 'DISARM', startsAt - 15 * hour)
  // What the panel reported the day before does not depend on them.
  panel.setOptions(panelOptions)
  return world
}

/** Lets something happen at a panel; returns false for a deed that is not one at the panel. */
export function performAtPanel(deed: Deed, world: WorldRecord, house: House, now: number): boolean {
  const { panel } = world
  const { hasAlarmList, panelOptions } = house
  const { reports = 'all' } = panelOptions
  // Without its event, nodes read the list of the panel's own troubles only each ten minutes. A second trouble has the same name.
  const reportsTroubles = reports === 'all' || reports === 'all-but-open-close'
  const canFail =
    reportsTroubles &&
    !['AC_FAILURE', 'JAMMED'].some((type) => panel.devices.some((one) => hasWarning(one, type)))
  // Of a disarm that neither a list nor an event shows, an answer tells only that it came since the one before.
  const isUnseen = ({ value, at }: Action) => value === 'DISARM' && now - at < longestUnseen
  const mayBeBefore = !hasAlarmList && !reportsArmings(house) && world.actions.some(isUnseen)
  const warns = (zone: number, type: string) => hasWarning(panel.zone(zone), type)
  switch (deed.what) {
    case 'arm': {
      const { partition, state, person, exitDelay } = deed
      const partitions = panel.findPartitions(partition)
      const canBeArmed = partitions.every((one) => panel.canBeArmed(one))
      // Who arms after an alarm has disarmed before.
      const hadAlarm = partitions.some((one) => hasAlarm(panel, one))
      // Of an end that neither a list nor an event shows, only answers between disarm and arming tell.
      const isEndUnseen =
        !hasAlarmList &&
        !reportsArmings(house) &&
        world.alarms.some(
          ({ to, partitions: own }) =>
            to !== null && now - to < longestUnseen && partitions.some(({ plan }) => own.includes(plan.id)),
        )
      if (canBeArmed && !hadAlarm && !isEndUnseen && panel.arm(partition, state, { user: person, exitDelay }))
        world.noteAction(person, state, partition, now)
      return true
    }
    case 'disarm':
      if (deed.isThreatened) {
        const source = userSource(panel.plan.users, { user: deed.person })
        panel.log({ type_id: 15, ...source, partitions: [deed.partition] })
      }
      panel.disarm(deed.partition, { user: deed.person })
      world.noteAction(deed.person, 'DISARM', deed.partition, now)
      return true
    case 'open':
      if (!mayBeBefore) panel.open(deed.zone)
      return true
    case 'close':
      panel.close(deed.zone)
      return true
    case 'panic button':
      if (!mayBeBefore)
        panel.panic(panel.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? 0)
      return true
    case 'alarms time out':
      // Only the list of alarms shows it, and a flood is in another one.
      if (!hasAlarmList) return true
      for (const incident of panel.incidents.filter(canTimeOut)) {
        incident.active = false
        setWarning(incident.device, 'ALARM_IN_MEMORY', true)
      }
      return true
    case 'tamper':
      // Without a list of alarms, nobody knows if the panel counts it as one.
      if (hasAlarmList && !warns(deed.zone, 'TAMPER')) panel.tamper(deed.zone)
      return true
    case 'tamper ends':
      if (warns(deed.zone, 'TAMPER')) panel.restoreTamper(deed.zone)
      return true
    case 'battery low':
      if (!warns(deed.zone, 'LOW_BATTERY')) panel.lowBattery(panel.zone(deed.zone).id)
      return true
    case 'battery replaced':
      if (warns(deed.zone, 'LOW_BATTERY')) panel.restoreBattery(panel.zone(deed.zone).id)
      return true
    case 'reports':
      for (let count = 0; count < deed.count; count += 1)
        panel.log({ type_id: reportType, ...lateBy(panel, deed.late) })
      return true
    case 'installer menu':
      if (panel.disarmed && panel.incidents.every(({ active }) => !active)) panel.openInstallerMenu()
      return true
    case 'detector enrolled':
      enroll(panel, deed.name)
      return true
    case 'line fails':
    case 'line returns':
      // Without any line the panel would be offline.
      panel.setLines({ mobile: true, ...(deed.line === 'mobile' && { broadband: true }) })
      panel.setLines({ [deed.line]: deed.what === 'line returns' })
      return true
    case 'panel flaps':
      panel.flap()
      return true
    case 'detector silent':
      panel.loseDevice(panel.zone(deed.zone).id)
      return true
    case 'detector heard':
      panel.hearDevice(panel.zone(deed.zone).id)
      return true
    case 'power fails':
      if (canFail) panel.cutPower()
      return true
    case 'power returns':
      panel.restorePower()
      return true
    case 'radio jammed':
      if (canFail) panel.jam()
      return true
    case 'radio free':
      panel.endJam()
      return true
    case 'bypass':
      panel.bypass(deed.zone, deed.enabled)
      return true
    case 'soak':
      panel.soak(deed.zone, deed.enabled)
      return true
    case 'temperature':
      panel.measure(panel.zone(deed.zone).id, 'temperature', deed.value)
      return true
    case 'alarms of detectors':
      for (const device of panel.devices.filter(isMore).slice(deed.from, deed.from + deed.count)) {
        panel.open(device.device_number)
        panel.close(device.device_number)
      }
      return true
    default:
      return false
  }
}

/** Returns the time of an event that was under way for some milliseconds. */
function lateBy(panel: Panel, late: number): { datetime: string } {
  return { datetime: new Date(panel.clock.now() - late).toISOString().slice(0, 19).replace('T', ' ') }
}

/** Adds a contact of the perimeter to a panel. */
function enroll(panel: Panel, at: string): void {
  const installation = new Installation(950_000, '')
  const zones = panel.devices.filter(({ device_type }) => device_type === 'ZONE')
  while (installation.devices.length <= zones.length)
    installation.enroll('ZONE', 'CONTACT', { zone: 'PERIMETER', at })
  const device = installation.devices.at(-1)
  if (device !== undefined) panel.addDevice({ ...device, id: device.id + zones.length })
}

/** Returns true if a partition has had an alarm since it was disarmed. */
export function hasAlarm({ incidents }: Panel, partition: Panel['partitions'][number]): boolean {
  const own = incidents.filter(({ partitions }) => partitions.has(partition))
  return own.some(({ active }) => active || partition.state !== 'DISARM')
}

/** Only alarms that are reported come into the memory of a panel. */
function canTimeOut({ active, rule, reportedAt }: Panel['incidents'][number]): boolean {
  return active && rule.list === 'alarms' && reportedAt !== null
}

function isMore({ device_type, device_number, subtype }: Panel['devices'][number]): boolean {
  return device_type === 'ZONE' && device_number > sampleZones && subtype === 'CONTACT'
}
