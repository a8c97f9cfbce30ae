import { quantity, type RawSettings, words } from '../account/settings.ts'
import { KeyholderError } from '../service/error.ts'
import type { PanelSettings } from './panel.ts'

/** An interval longer than a week is a slip of the pen; timers end at 24 days. */
const longestInterval = 7 * 24 * 60 * 60

/**
 * Checks the settings of a panel, with the public contract's default where one is missing.
 * @param demo the demo's first panel, which stands in for an empty serial and user code
 * @param floor seconds below which no interval may go
 * @throws KeyholderError NOT_CONFIGURED (serial or userCode missing) or BAD_SETTING
 */
export function panelSettings(
  raw: RawSettings,
  demo: { serial: string; userCode: string } | undefined,
  floor: number,
): PanelSettings {
  const interval = (field: string, fallback: number) =>
    1000 * quantity(raw, field, fallback, { least: floor, most: longestInterval })
  return {
    id: words(raw, 'id'),
    name: words(raw, 'name'),
    serial: words(raw, 'serial') || demo?.serial || missing('serial'),
    userCode: words(raw, 'userCode') || demo?.userCode || missing('userCode'),
    stateEvery: interval('stateEvery', 30),
    eventsEvery: interval('eventsEvery', 60),
    devicesEvery: interval('devicesEvery', 300),
    // A text where an environment variable fills it in. Whatever is no clear yes is a no.
    allowCommands: raw.allowCommands === true || words(raw, 'allowCommands') === 'true',
  }
}

function missing(field: string): never {
  throw new KeyholderError('NOT_CONFIGURED', `${field} is missing: fill it in in the alarm panel node.`)
}
