import type { Node, NodeAPI } from 'node-red'
import { second } from '../../src/duration.ts'
import { StateReport } from '../../src/messages/state-message.ts'
import { blockingZoneNames } from '../../src/panel/devices/device.ts'
import { secondsUntil } from '../../src/panel/state/known-state.ts'
import { isUnready, type PartitionState, type StateView } from '../../src/panel/state/partition-state.ts'
import type { Device } from '../../src/service/responses/devices.ts'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'
import { polledBehavior } from '../binding/polled-behavior.ts'
import { readSettings } from '../pages/fields.ts'
import { alarmText, type ChangingText, phrase, type StatusText } from '../shared/node-status.ts'
import { settings } from './settings.ts'

/** Returns the behavior of a state node: it reports the selected partitions in its vocabulary. */
export function behavior(RED: NodeAPI, node: Node, def: AttachedDef): Behavior {
  const { partitions, emit, initial, vocabulary, instances } = readSettings(settings, def)
  const report = new StateReport({ partitions, vocabulary })

  return polledBehavior<StateView>(RED, node, {
    emit,
    initial,
    deliveredTo: { id: node.id, instances },
    nothingChosen:
      'The panel has none of the partitions selected in this node. Change "Partitions" in this node.',
    operation: 'status',
    partitions,
    work: 'state',
    report,
    watch: (panel) => panel.state,
    messages: (panel, snapshot, which) =>
      report.messages(snapshot.view, panel.sourceOf(snapshot), which, panel.account.clock.monotonic()),
    texts: (panel, { view }) => {
      const { facts } = panel.situation
      const chosen = view.partitions.filter(({ id }) => partitions.length === 0 || partitions.includes(id))
      const isPending = chosen.some(isUnready)
      // They tell which zones are open.
      const devices = isPending ? panel.devices.latest?.view.listed : []
      const fine = stateStatus(chosen, devices)
      // A tamper can be an alarm while all is disarmed.
      const hidesAlarm = facts.alarms.length > 0 && chosen.every(({ value }) => value === 'DISARM')
      const missing = partitions.length > 0 ? panel.polls.chosenPartitions.missingOf(partitions) : []
      if (fine === null && missing.length === 0) return null
      const alarm = hidesAlarm ? alarmText(facts) : undefined
      return { fine: fine ?? undefined, alarm, missing, isPending }
    },
  })
}

/** States by priority: with several partitions, the status shows the first of these that occurs. */
const mostUrgentFirst = ['ALARM', 'ENTRY_DELAY', 'ARMING', 'PROGRAMMING', 'AWAY', 'HOME', 'DISARM']

/**
 * Returns the status of a state node: the most urgent state, and the zones or partitions that it is about; null without
 * partitions.
 * @param chosen the selected partitions
 * @param devices as known from the polls of other nodes
 */
export function stateStatus(
  chosen: readonly PartitionState[],
  devices: readonly Device[] = [],
): StatusText | ChangingText | null {
  const value =
    mostUrgentFirst.find((urgent) => chosen.some((one) => one.value === urgent)) ?? chosen[0]?.value
  if (value === undefined) return null
  const concerned = chosen.filter((one) => one.value === value)
  if (value === 'DISARM') return disarmed(concerned, devices)
  const detail = namesAmong(chosen, concerned)
  if (!mostUrgentFirst.includes(value)) return { detail: detail === '' ? value : `${value}, ${detail}` }
  if (value === 'ALARM') return phrase('state.status.ALARM', { detail: alarmed(concerned) || detail })
  if (value === 'ARMING') return arming(concerned, detail)
  return phrase(`state.status.${value}`, { detail })
}

/** Returns the names of some partitions; empty if they are all. */
function namesAmong(all: readonly PartitionState[], some: readonly PartitionState[]): string {
  return all.length === some.length ? '' : some.map(({ id, name }) => name || String(id)).join(', ')
}

/** Returns the zones whose alarms are active. */
function alarmed(partitions: readonly PartitionState[]): string {
  const alarms = partitions.flatMap((partition) => partition.alarms).filter(({ inMemory }) => !inMemory)
  return [...new Set(alarms.map(({ zoneName, location }) => zoneName || location))].filter(Boolean).join(', ')
}

function disarmed(partitions: readonly PartitionState[], devices: readonly Device[]): StatusText {
  // Some services also list partitions that are not in use, and are never ready.
  if (partitions.every(({ ready, active }) => ready || !active)) return phrase('state.status.ready')
  const unready = partitions.filter(isUnready)
  if (unready.length === 0) return phrase('state.status.DISARM')
  const detail = blockingZoneNames(unready, devices).join(', ') || namesAmong(partitions, unready)
  return phrase('state.status.notReady', { detail })
}

function arming(partitions: readonly PartitionState[], detail: string): StatusText | ChangingText {
  const word = phrase('state.status.ARMING', { detail })
  const until = allArmedAt(partitions)
  if (until === 0) return word
  const counted = (seconds: number) =>
    phrase('state.status.arming', { values: { seconds: String(seconds) }, detail })
  return countdown(until, (seconds) => (seconds > 0 ? counted(seconds) : word))
}

/**
 * Returns a status text with the remaining seconds.
 * @param until milliseconds of the monotonic clock
 */
export function countdown(until: number, text: (seconds: number) => StatusText): ChangingText {
  return (now) => {
    const left = secondsUntil(until, now)
    return { text: text(left), changesIn: left === 0 ? undefined : until - second * (left - 1) - now }
  }
}

/** Returns the end of the last exit delay, in milliseconds of the monotonic clock; 0 if unknown. */
function allArmedAt(partitions: readonly PartitionState[]): number {
  return Math.max(0, ...partitions.map(({ exitUntil }) => exitUntil ?? 0))
}
