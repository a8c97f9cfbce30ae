import type { Node, NodeAPI } from 'node-red'
import { isContact, zoneClass } from '../../src/home-assistant/entities/device-class.ts'
import { isChosen, ReadingsReport } from '../../src/messages/readings-messages.ts'
import {
  type PanelDevices,
  type Reading,
  readingKinds,
  readings,
  readingTable,
} from '../../src/panel/devices/readings.ts'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'
import { polledBehavior } from '../binding/polled-behavior.ts'
import { readSettings } from '../pages/fields.ts'
import { alarmText, phrase, type StatusText } from '../shared/node-status.ts'
import { settings } from './settings.ts'

/** Returns the behavior of a readings node: it reports the selected devices and kinds of reading. */
export function behavior(RED: NodeAPI, node: Node, def: AttachedDef): Behavior {
  const { devices, kinds, emit, initial, instances, ...least } = readSettings(settings, def)
  const deltas = { temperature: least.temperatureDelta, brightness: least.brightnessDelta }
  const choice = { devices, kinds, deltas }
  const report = new ReadingsReport(choice)
  let summary: StatusText | undefined

  return polledBehavior<PanelDevices>(RED, node, {
    emit,
    initial,
    deliveredTo: { id: node.id, instances },
    nothingChosen:
      'The panel has none of the devices selected in this node, or they do not have the selected readings. Change "Devices" or "Readings" in this node.',
    operation: 'devices',
    work: 'devices',
    report,
    watch: (panel) => panel.devices,
    ...((kinds.length === 0 || kinds.includes('warnings')) && {
      await: (panel) => panel.polls.faults.await(),
    }),
    messages: (panel, snapshot, which) => {
      const values = readings(snapshot.view, panel.account.settings.timeZone)
      summary = readingsStatus(values.filter((one) => isChosen(one, choice) && !one.isUnread))
      return report.messages(values, panel.sourceOf(snapshot), which)
    },
    texts: ({ situation: { facts } }) => ({
      fine: summary,
      alarm: summary && isCalm(summary) ? alarmText(facts) : undefined,
      isPending: facts.isUnready,
    }),
  })
}

/** The words of a status about the readings of a kind, the most telling first. */
const summaries = { open: opened, range: measured, warnings: warned }

/** The kinds that a status can sum up; the first one that is read decides. */
const mostTellingFirst = Object.entries(summaries).flatMap(([summary, say]) =>
  readingKinds.filter((kind) => readingTable[kind].summary === summary).map((kind) => ({ kind, say })),
)

/** Returns the status of a readings node, of the readings that it reports; undefined if there are none. */
export function readingsStatus(all: readonly Reading[]): StatusText | undefined {
  if (all.length === 0) return undefined
  // Motion, smoke or water is never open or closed.
  const told = all.filter((reading) => reading.kind !== 'open' || isOfContact(reading))
  const readings = told.length > 0 ? told : all.map((reading) => ({ ...reading, kind: 'presence' as const }))
  for (const { kind, say } of mostTellingFirst) {
    const read = readings.filter((reading) => reading.kind === kind)
    if (read.length > 0) return say(read)
  }
  const devices = new Set(readings.map(({ device }) => device.id)).size
  return phrase('readings.status.devices', { values: numbered(devices) })
}

/** Returns true for a status that says that all is well. */
function isCalm({ key }: StatusText): boolean {
  return [phrase('readings.status.closed').key, phrase('readings.status.noWarnings').key].includes(key)
}

function isOfContact({ device: { subtype, zoneType } }: Reading): boolean {
  return isContact(zoneClass({ device_type: 'ZONE', subtype, zone_type: zoneType }))
}

function opened(readings: readonly Reading[]): StatusText {
  const open = readings.filter(({ value }) => value === true)
  if (open.length > 0) {
    return phrase('readings.status.open', { values: numbered(open.length), detail: labels(open) })
  }
  return phrase('readings.status.closed', { values: numbered(readings.length) })
}

function warned(readings: readonly Reading[]): StatusText {
  const warned = readings.filter(({ value }) => Array.isArray(value) && value.length > 0)
  if (warned.length > 0) {
    return phrase('readings.status.warnings', { values: numbered(warned.length), detail: labels(warned) })
  }
  return phrase('readings.status.noWarnings', { values: numbered(readings.length) })
}

/** Returns the only value with its device, or the lowest and the highest of several. */
function measured(readings: readonly Reading[]): StatusText {
  const values = readings.map(({ value }) => Number(value))
  const unit = readings[0]?.unit ?? ''
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const range = lowest === highest ? `${lowest} ${unit}` : `${lowest} – ${highest} ${unit}`
  return { detail: readings.length === 1 ? `${range}, ${labels(readings)}` : `${range} (${readings.length})` }
}

function labels(readings: readonly Reading[]): string {
  return readings.map(({ device }) => device.label).join(', ')
}

function numbered(number: number): { number: string } {
  return { number: String(number) }
}
