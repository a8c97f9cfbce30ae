import { amount, configNode } from '../pages/fields.ts'

/** The settings of a health node. */
export const settings = {
  fields: {
    account: configNode('account'),
    panel: configNode('panel', { required: false, hasRule: true }),
    every: amount({ icon: 'heartbeat', hasRule: true }),
  },
  form: ['account', 'panel', { tip: 'panel' }, 'every'],
}
