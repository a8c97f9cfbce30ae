import { amount, configNode, locale, source, typed } from '../pages/fields.ts'

/** The settings of a query node. */
export const settings = {
  fields: {
    // One of both is enough.
    panel: configNode('panel', { required: undefined, hasRule: true }),
    account: configNode('account', { required: false }),
    operation: typed('panel_info', { icon: 'question-circle' }),
    operationType: source(),
    since: typed('', { icon: 'calendar', isHidden: true, hasRule: true, hasPlaceholder: true }),
    sinceType: source(),
    locale: locale('', { isHidden: true, hasRule: true }),
    maxAge: amount({ icon: 'clock-o' }),
  },
  form: ['panel', 'account', { tip: 'account' }, 'operation', 'since', 'locale', 'maxAge'],
}
