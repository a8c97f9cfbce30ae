import type { Reading } from '../src/panel/devices/readings.ts'
import { phrase, type StatusText } from './shared/status-text.ts'

/** The kinds that a status can sum up; the first one that is read decides. */
const mostTellingFirst = ['open', 'temperature', 'brightness', 'warnings'] as const

/** Returns the status of a readings node, of the readings that it reports; undefined if there are none. */
export function readingsStatus(readings: readonly Reading[]): StatusText | undefined {
  if (readings.length === 0) return undefined
  const kind = mostTellingFirst.find((telling) => readings.some((reading) => reading.kind === telling))
  const read = readings.filter((reading) => reading.kind === kind)
  if (kind === 'open') return opened(read)
  if (kind === 'warnings') return warned(read)
  if (kind === 'temperature' || kind === 'brightness') return measured(read)
  const devices = new Set(readings.map(({ device }) => device.id)).size
  return phrase('readings.status.devices', { values: numbered(devices) })
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
