import type { Clock } from '../../clock.ts'
import { deviceWarnings } from '../../service/catalogue/device-types.ts'
import type { ActiveFaults } from '../faults/active-faults.ts'
import { faultCatalogue } from '../faults/fault-catalogue.ts'
import type { Accounts } from '../http/auth/accounts.ts'
import type { RequestLog } from '../http/request-log.ts'
import type { Api } from '../http/router.ts'
import { findZoneRule } from '../world/alarms/zone-rule.ts'
import { type Device, getLabel, hasWarning, isContact } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'
import { optionValues, type PanelOptions } from '../world/panel-options.ts'
import type { Partition } from '../world/partition.ts'
import type { World } from '../world/world.ts'
import { isoT } from '../world/world-time.ts'
import { alarms } from './alarms.ts'

/** Parts of the simulator that the console shows and changes. */
export interface ConsoleDependencies {
  /** URL of the service, without a path. */
  readonly url: string
  readonly world: World
  readonly accounts: Accounts
  readonly faults: ActiveFaults
  readonly log: RequestLog
  readonly apis: readonly Api[]
  readonly clock: Clock
}

const maxRequests = 30

const optionNames = Object.keys(optionValues) as (keyof PanelOptions)[]

/** The data of the console page. Panels are shown as they are, not as the service last reported them. */
export class ConsoleViewModel {
  readonly #dependencies: ConsoleDependencies
  readonly #faults = faultCatalogue.map((make) => make().name)
  readonly #operations: readonly string[]
  /**
   * Offset from the monotonic clock to the wall clock; computed once, so that the times of past requests do
   * not change.
   */
  readonly #wallOffset: number

  constructor(dependencies: ConsoleDependencies) {
    this.#dependencies = dependencies
    this.#operations = listOperations(dependencies.apis)
    this.#wallOffset = dependencies.clock.wall() - dependencies.clock.monotonic()
  }

  /** Returns the current data as JSON. */
  read(): object {
    const { url, world, accounts, faults, log } = this.#dependencies
    return {
      time: `${isoT(world.time.now())}Z`,
      speed: world.time.speed,
      panels: world.panels.map(describePanel),
      account: { url, email: accounts.email, password: accounts.password, userCode: accounts.userCode },
      operations: this.#operations,
      faults: this.#faults,
      warnings: [...deviceWarnings],
      running: faults.running.map(({ name, operation = '' }) => ({ name, operation })),
      requests: log.requests
        .slice(-maxRequests)
        .reverse()
        .map(({ at, method, path, status }) => ({
          time: new Date(this.#wallOffset + at).toISOString(),
          method,
          path,
          status,
        })),
    }
  }
}

/** Returns the names of all operations, in alphabetical order. */
export function listOperations(apis: readonly Api[]): readonly string[] {
  const names = apis.flatMap(({ operations }) => operations.map(({ name }) => name))
  return [...new Set(['version', ...names])].sort()
}

function describePanel(panel: Panel): object {
  return {
    serial: panel.serial,
    alias: panel.plan.alias,
    model: panel.plan.model,
    online: panel.online,
    jammed: panel.devices.some((device) => hasWarning(device, 'JAMMED')),
    powerCut: panel.devices.some((device) => hasWarning(device, 'AC_FAILURE')),
    options: optionNames.map((name) => ({ name, value: panel.options[name], values: optionValues[name] })),
    household: panel.residents?.plan ?? null,
    alarms: alarms.filter((alarm) => alarm.isPossible(panel)).map(({ name }) => name),
    devices: panel.devices.map((device) => ({
      id: device.id,
      name: getLabel(device),
      warnings: device.warnings?.filter(({ in_memory }) => !in_memory).map(({ type }) => type) ?? [],
    })),
    partitions: panel.partitions.map((partition) => describePartition(panel, partition)),
    zones: panel.devices
      .filter((device) => device.device_type === 'ZONE')
      .map((device) => describeZone(panel, device)),
  }
}

function describePartition(panel: Panel, partition: Partition): object {
  const activeIncidents = panel.incidents.filter(
    ({ active, partitions }) => active && partitions.has(partition),
  )
  return {
    id: partition.plan.id,
    name: partition.plan.name === 'ALL' ? panel.plan.alias : partition.plan.name,
    state: partition.state,
    leaving: partition.status === 'EXIT',
    ready: panel.isReady(partition),
    alarms: activeIncidents.map(({ device, rule }) => ({ name: getLabel(device), word: rule.word })),
  }
}

function describeZone(panel: Panel, device: Device): object {
  const incident = panel.incidents.find((one) => one.device === device)
  const isAlarmed = incident?.active ?? false
  const kind = classifyZone(device)
  return {
    number: device.device_number,
    name: getLabel(device),
    type: device.zone_type ?? '',
    kind,
    open: kind === 'contact' ? hasWarning(device, 'OPENED') : isAlarmed && !incident?.restored,
    alarm: isAlarmed,
    tamper: device.warnings?.some(({ type, in_memory }) => type === 'TAMPER' && !in_memory) ?? false,
    lowBattery: hasWarning(device, 'LOW_BATTERY'),
    missing: hasWarning(device, 'INACTIVE'),
    bypassed: device.traits.bypass?.enabled ?? false,
  }
}

/**
 * Returns the kind of a zone: a contact stays open, a hazard lasts, motion is momentary, and a meter has no
 * alarm.
 */
function classifyZone(device: Device): 'contact' | 'hazard' | 'motion' | 'meter' {
  if (isContact(device)) return 'contact'
  const rule = findZoneRule(device.zone_type)
  if (!rule) return 'meter'
  return rule.modes === null ? 'hazard' : 'motion'
}
