import { configNode, flag, optionalNumber, secret, text } from '../pages/fields.ts'

/** Seconds between polls; empty for the panel's own pace. The page has its check, because settings.js can lower the minimum. */
const interval = (icon: string) =>
  optionalNumber(
    { min: 10, max: 604_800 },
    {
      icon,
      hasRule: true,
      texts: 'seconds',
      inputMode: 'numeric',
      attributes: 'data-i18n="[placeholder]panel.placeholder.every"',
    },
  )

/** The settings of a panel node; src/panel/panel-settings.ts reads them. */
export const settings = {
  isConfig: true,
  fields: {
    account: configNode('account'),
    serial: text('', { hasRule: true }),
    stateEvery: interval('shield'),
    eventsEvery: interval('list'),
    devicesEvery: interval('thermometer-half'),
    allowCommands: flag(false),
    allowRehearsal: flag(false),
    userCode: secret({ hasRule: true }),
    storedFor: secret(),
  },
}
