import type { PanelKey } from '../account/requests/request.ts'
import { second } from '../duration.ts'
import { missingSetting, number, type RawSettings, refuseUnsetVariables, text } from '../settings.ts'

/** The panels of a demo, by serial, and the user code of them all. */
interface DemoPanels {
  serials: readonly string[]
  userCode: string
}

/** A panel's settings, checked; the intervals are in milliseconds. */
export interface PanelSettings extends PanelKey {
  /** The id of the config node; it names the panel's cursor file. */
  id: string
  /** The user's name for the panel; can be empty. */
  name: string
  /** Null if the user leaves it to the pace, like the intervals below. */
  stateEvery: number | null
  eventsEvery: number | null
  devicesEvery: number | null
  /** True if flows are allowed to command the panel. */
  allowCommands: boolean
}

/** The shortest interval between polls in seconds, unless the settings file of Node-RED lowers it. */
const minPollInterval = 10

/**
 * The longest interval in seconds, a week: a longer one is a typing error, and timers are limited to 24 days.
 */
const maxInterval = 7 * 24 * 60 * 60

/** The longest interval of a demo panel in seconds, if one was entered: its user wants to see soon what happens. */
const maxDemoInterval = 10

/**
 * Checks the settings of a panel, with the public contract's default for each missing one. An interval that
 * is empty or missing leaves it to the pace.
 * @param demo the panels of the demo. Serial and user code of another source are ignored. A demo panel accepts commands and
 * is polled often, whatever the settings are, so that flows that were tried with it have the settings of a real panel
 * @param minInterval seconds
 * @throws KeyholderError NOT_CONFIGURED (serial or userCode missing, an environment variable not set) or BAD_SETTING
 */
export function panelSettings(
  deployed: RawSettings,
  demo: DemoPanels | undefined,
  minInterval = minPollInterval,
): PanelSettings {
  const raw = demo === undefined ? deployed : { ...deployed, ...demoKey(deployed, demo) }
  refuseUnsetVariables(raw)
  const longest = demo === undefined ? maxInterval : maxDemoInterval
  const interval = (field: string) => {
    if (text(raw, field) === '') return null
    return second * Math.min(longest, number(raw, field, longest, { min: minInterval, max: maxInterval }))
  }
  return {
    id: text(raw, 'id'),
    name: text(raw, 'name'),
    serial: text(raw, 'serial') || missing('serial'),
    userCode: text(raw, 'userCode') || missing('userCode'),
    stateEvery: interval('stateEvery'),
    eventsEvery: interval('eventsEvery'),
    devicesEvery: interval('devicesEvery'),
    // A demo panel protects nothing. Otherwise: an environment variable supplies a text, and anything but a clear yes
    // is a no.
    allowCommands: demo !== undefined || raw.allowCommands === true || text(raw, 'allowCommands') === 'true',
  }
}

/** Returns the chosen panel of the demo, or its first one; the user may have chosen a panel of another source before. */
function demoKey(deployed: RawSettings, { serials, userCode }: DemoPanels): RawSettings {
  const chosen = text(deployed, 'serial')
  return { serial: serials.includes(chosen) ? chosen : serials[0], userCode }
}

function missing(field: string): never {
  throw missingSetting(field, 'the alarm panel node')
}
