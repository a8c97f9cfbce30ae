import { quantity, type RawSettings, words } from '../account/account-settings.ts'
import { KeyholderError } from '../service/error.ts'
import type { PanelSettings } from './panel.ts'

/**
 * The longest interval in seconds, a week: a longer one is a typing error, and timers are limited to 24 days.
 */
const maxInterval = 7 * 24 * 60 * 60

/**
 * Checks the settings of a panel, with the public contract's default for each missing one.
 * @param demo the demo's first panel, used for an empty serial and user code
 * @param floor the shortest interval in seconds
 * @throws KeyholderError NOT_CONFIGURED (serial or userCode missing) or BAD_SETTING
 */
export function panelSettings(
  raw: RawSettings,
  demo: { serial: string; userCode: string } | undefined,
  floor: number,
): PanelSettings {
  const interval = (field: string, fallback: number) =>
    1000 * quantity(raw, field, fallback, { least: floor, most: maxInterval })
  return {
    id: words(raw, 'id'),
    name: words(raw, 'name'),
    serial: words(raw, 'serial') || demo?.serial || missing('serial'),
    userCode: words(raw, 'userCode') || demo?.userCode || missing('userCode'),
    stateEvery: interval('stateEvery', 30),
    eventsEvery: interval('eventsEvery', 60),
    devicesEvery: interval('devicesEvery', 300),
    // An environment variable supplies a text. Anything but a clear yes is a no.
    allowCommands: raw.allowCommands === true || words(raw, 'allowCommands') === 'true',
  }
}

function missing(field: string): never {
  throw new KeyholderError('NOT_CONFIGURED', `${field} is missing: fill it in in the alarm panel node.`)
}
