import { boxes, choice, configNode, ids, instances, list } from '../pages/fields.ts'
import { stringList } from '../shared/node-options.ts'

const groups = [
  ...['EP_ALARM', 'EP_DURESS', 'EP_ALERT', 'EP_RESTORE', 'EP_OPEN_CLOSE', 'EP_ONLINE', 'EP_OFFLINE'],
  ...['EP_NOTICE', 'other'],
]

/** The settings of an events node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    // A service may have other groups.
    groups: { ...boxes(groups, { icon: 'bell-o', texts: 'group' }), read: stringList },
    typeIds: ids({ icon: 'hashtag' }),
    labels: list({ icon: 'tags' }),
    partitions: ids({ icon: 'object-group' }),
    first: choice(['skip', 'deliver'], { icon: 'play' }),
    missed: choice(['deliver', 'skip'], { icon: 'history' }),
    instances: instances(),
  },
  form: [
    ...['panel', 'groups', 'partitions', 'first', 'missed', 'instances'],
    { details: 'advanced', parts: ['labels', 'typeIds'] },
  ],
}
