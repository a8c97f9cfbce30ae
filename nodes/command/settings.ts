import { choice, configNode, flag, list, source, typed } from '../pages/fields.ts'

/** The settings of a command node; src/messages/command-message.ts reads them, as a message may replace them. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    action: choice(['set_state', 'bypass', 'siren_on', 'siren_off'], { icon: 'bolt' }),
    partition: typed(-1, { icon: 'object-group', hasRule: true }),
    partitionType: source(),
    state: typed('', { icon: 'lock', attributes: 'data-i18n="[placeholder]command.state.payload"' }),
    stateType: source(),
    options: list({ icon: 'sliders' }),
    openZones: choice(['refuse', 'bypass'], { icon: 'unlock-alt', isAdded: true }),
    zone: typed('', { icon: 'hashtag', hasRule: true, hasPlaceholder: true }),
    zoneType: source(),
    enabled: flag(true),
  },
}
