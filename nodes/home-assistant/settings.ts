import { entityGroups, forms } from '../../src/home-assistant/setup.ts'
import { boxes, choice, configNode, flag, topic } from '../pages/fields.ts'

/** The settings of a Home Assistant node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    prefix: topic('homeassistant', { icon: 'search' }),
    base: topic('keyholder', { icon: 'sitemap' }),
    form: choice(forms, { icon: 'bullhorn' }),
    entities: boxes(entityGroups, {
      icon: 'cubes',
      value: ['alarm_panel', 'zones', 'readings', 'events', 'diagnostics'],
      none: entityGroups,
    }),
    code: choice(['none', 'remote'], { icon: 'key', value: 'remote' }),
    instantNight: flag(false),
    openZones: choice(['refuse', 'bypass'], { icon: 'unlock-alt', isAdded: true }),
  },
  form: ['panel', 'entities', 'code', 'openZones', 'instantNight', 'form', 'base', 'prefix'],
}
