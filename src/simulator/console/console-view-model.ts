import type { Clock } from '../../clock.ts'
import type { ActiveFaults } from '../faults/active-faults.ts'
import { faultCatalogue } from '../faults/fault-catalogue.ts'
import type { Accounts } from '../http/auth/accounts.ts'
import type { RequestLog } from '../http/request-log.ts'
import type { Api } from '../http/router.ts'
import { type Device, hasWarning, isContact, labelOf } from '../world/device.ts'
import type { Panel } from '../world/panel.ts'
import type { Partition } from '../world/partition.ts'
import type { World } from '../world/world.ts'
import { withT } from '../world/world-time.ts'
import { zoneRule } from '../world/zone-rule.ts'
import { alarms } from './alarms.ts'

/** Parts of the simulator that the console shows and changes. */
export interface ConsoleParts {
  readonly world: World
  readonly accounts: Accounts
  readonly faults: ActiveFaults
  readonly log: RequestLog
  readonly apis: readonly Api[]
  readonly clock: Clock
}

const newestRequests = 30

/** The data of the console page. Panels are shown as they are, not as the service last reported them. */
export class Picture {
  readonly #parts: ConsoleParts
  readonly #faults = faultCatalogue.map((make) => make().name)
  readonly #operations: readonly string[]
  /**
   * Offset from the monotonic clock to the wall clock; computed once, so that the times of past requests do
   * not change.
   */
  readonly #sinceEpoch: number

  constructor(parts: ConsoleParts) {
    this.#parts = parts
    this.#operations = operationsOf(parts.apis)
    this.#sinceEpoch = parts.clock.wall() - parts.clock.monotonic()
  }

  /** Returns the current data as JSON. */
  now(): object {
    const { world, accounts, faults, log } = this.#parts
    return {
      time: `${withT(world.time.now())}Z`,
      speed: world.time.speed,
      panels: world.panels.map(panelShown),
      account: { email: accounts.email, password: accounts.password, userCode: accounts.userCode },
      operations: this.#operations,
      faults: this.#faults,
      running: faults.running.map(({ name, operation = '' }) => ({ name, operation })),
      requests: log.requests
        .slice(-newestRequests)
        .reverse()
        .map(({ at, method, path, status }) => ({
          time: new Date(this.#sinceEpoch + at).toISOString(),
          method,
          path,
          status,
        })),
    }
  }
}

/** Returns the names of all operations, in alphabetical order. */
export function operationsOf(apis: readonly Api[]): readonly string[] {
  const names = apis.flatMap(({ operations }) => operations.map(({ name }) => name))
  return [...new Set(['version', ...names])].sort()
}

function panelShown(panel: Panel): object {
  return {
    serial: panel.serial,
    alias: panel.plan.alias,
    model: panel.plan.model,
    online: panel.online,
    alarms: alarms.filter((alarm) => alarm.possible(panel)).map(({ name }) => name),
    partitions: panel.partitions.map((partition) => partitionShown(panel, partition)),
    zones: panel.devices
      .filter((device) => device.device_type === 'ZONE')
      .map((device) => zoneShown(panel, device)),
  }
}

function partitionShown(panel: Panel, partition: Partition): object {
  const alarmed = panel.incidents.filter(({ active, partitions }) => active && partitions.has(partition))
  return {
    id: partition.plan.id,
    name: partition.plan.name === 'ALL' ? panel.plan.alias : partition.plan.name,
    state: partition.state,
    leaving: partition.status === 'EXIT',
    ready: panel.isReady(partition),
    alarms: alarmed.map(({ device, rule }) => `${labelOf(device)} (${rule.word})`),
  }
}

function zoneShown(panel: Panel, device: Device): object {
  const incident = panel.incidents.find((one) => one.device === device)
  const isAlarmed = incident?.active ?? false
  const kind = kindOf(device)
  return {
    number: device.device_number,
    name: labelOf(device),
    type: device.zone_type ?? '',
    kind,
    open: kind === 'contact' ? hasWarning(device, 'OPENED') : isAlarmed && !incident?.restored,
    alarm: isAlarmed,
    tamper: device.warnings?.some(({ type, in_memory }) => type === 'TAMPER' && !in_memory) ?? false,
    lowBattery: hasWarning(device, 'LOW_BATTERY'),
    bypassed: device.traits.bypass?.enabled ?? false,
  }
}

/**
 * Returns the kind of a zone: a contact stays open, a hazard lasts, motion is momentary, and a meter has no
 * alarm.
 */
function kindOf(device: Device): 'contact' | 'hazard' | 'motion' | 'meter' {
  if (isContact(device)) return 'contact'
  const rule = zoneRule(device.zone_type)
  if (!rule) return 'meter'
  return rule.modes === null ? 'hazard' : 'motion'
}
