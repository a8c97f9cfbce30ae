import { readingKinds } from '../../src/panel/devices/readings.ts'
import { amount, boxes, choice, configNode, flag, ids, instances } from '../pages/fields.ts'

/** The settings of a readings node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    devices: ids({ icon: 'microchip' }),
    kinds: boxes(readingKinds, {
      icon: 'eye',
      texts: 'kind',
      first: ['temperature', 'brightness', 'open', 'warnings'],
    }),
    emit: choice(['change', 'poll'], { icon: 'sign-out' }),
    initial: flag(true),
    instances: instances(),
    temperatureDelta: amount({ icon: 'thermometer-half', texts: 'temperature', isHidden: true }),
    brightnessDelta: amount({ icon: 'sun-o', texts: 'brightness', isHidden: true }),
  },
  form: [
    ...['panel', 'devices', 'kinds', 'emit', 'temperatureDelta', 'brightnessDelta'],
    ...['initial', 'instances'],
  ],
}
