import { secret, text } from '../pages/fields.ts'

/** The settings of a cluster node; src/cluster/cluster-settings.ts reads them. */
export const settings = {
  isConfig: true,
  fields: {
    address: text('', { icon: 'globe', hasRule: true, hasPlaceholder: true }),
    master: text('', { icon: 'sitemap', isHidden: true, attributes: 'placeholder="mymaster"' }),
    caFile: text('', { icon: 'certificate', hasPlaceholder: true }),
    clusterName: text('keyholder', {
      icon: 'object-group',
      hasRule: true,
      attributes: 'placeholder="keyholder"',
    }),
    instance: text('', { icon: 'server', hasPlaceholder: true }),
    username: secret({ icon: 'user', isReadable: true, hasPlaceholder: true }),
    password: secret({ icon: 'lock' }),
    storedFor: secret(),
  },
}
