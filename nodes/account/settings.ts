import { choice, configNode, locale, number, optionalNumber, secret, text } from '../pages/fields.ts'

/** Of fields with a check: the demo uses none of them. */
const onlyIf = 'isOnService'

/** The settings of an account node; src/account/account-settings.ts reads them. */
export const settings = {
  isConfig: true,
  fields: {
    source: choice(['service', 'demo'], { icon: 'plug' }),
    url: text('', { onlyIf, hasRule: true }),
    apiVersion: text('', { icon: 'code-fork', onlyIf, hasRule: true, hasPlaceholder: true }),
    api: choice(['user', 'service'], { icon: 'id-badge' }),
    appId: text('', { icon: 'barcode', attributes: 'readonly' }),
    deviceInfo: text('', { icon: 'desktop', isHidden: true, hasPlaceholder: true }),
    locale: locale('en_US', { onlyIf, hasRule: true }),
    timeZone: text('UTC', { onlyIf, hasRule: true }),
    requestsPerMinute: number(
      30,
      { min: 1, max: 6000, whole: true, required: true },
      { icon: 'tachometer', onlyIf, inputMode: 'numeric' },
    ),
    requestsPerDay: optionalNumber({ min: 0, max: 8_640_000, whole: true }, { onlyIf }),
    timeout: number(
      10,
      { min: 0.1, max: 300, required: true },
      { icon: 'hourglass-o', onlyIf, texts: 'seconds' },
    ),
    caFile: text('', { icon: 'certificate', hasPlaceholder: true }),
    cluster: configNode('cluster', { required: false }),
    email: secret({ icon: 'user', isReadable: true, onlyIf, hasRule: true }),
    password: secret({
      icon: 'lock',
      onlyIf,
      hasRule: true,
      attributes: 'aria-describedby="keyholder-account-once"',
    }),
    storedFor: secret(),
  },
}
