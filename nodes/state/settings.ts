import { vocabularies } from '../../src/messages/state-words.ts'
import { choice, configNode, flag, ids, instances } from '../pages/fields.ts'

/** The settings of a state node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    partitions: ids({ icon: 'object-group' }),
    emit: choice(['change', 'poll'], { icon: 'sign-out' }),
    initial: flag(true),
    vocabulary: choice(vocabularies, { icon: 'language' }),
    instances: instances(),
  },
}
