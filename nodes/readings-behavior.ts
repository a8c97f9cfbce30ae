import type { Node, NodeAPI } from 'node-red'
import { ReadingsReport } from '../../src/messages/readings.ts'
import { sourceOf } from '../../src/messages/source.ts'
import { kinds, readings } from '../../src/panel/readings.ts'
import type { Device } from '../../src/service/devices.ts'
import type { AttachedDef, Behaviour } from '../shared/attach.ts'
import { amount, numbers, oneOf, tick, words } from './choices.ts'
import { reporting } from './reporting.ts'

/** The settings of a readings node, as they stand in a flow file. */
export interface ReadingsDef extends AttachedDef {
  devices?: unknown
  kinds?: unknown
  emit?: unknown
  initial?: unknown
  temperatureDelta?: unknown
  brightnessDelta?: unknown
}

/** What a readings node does: reports the devices and kinds of reading that it has chosen. */
export function behaviour(RED: NodeAPI, node: Node, def: ReadingsDef): Behaviour {
  const chosen = words(def.kinds)
  const report = new ReadingsReport({
    devices: numbers(def.devices),
    kinds: kinds.filter((kind) => chosen.includes(kind)),
    temperatureDelta: amount(def.temperatureDelta),
    brightnessDelta: amount(def.brightnessDelta),
  })

  return reporting<readonly Device[]>(RED, node, {
    emit: oneOf(def.emit, ['change', 'poll']),
    initial: tick(def.initial, true),
    operation: 'devices',
    watch: (panel) => panel.devices,
    messages: (panel, news, which) => {
      const values = readings(news.view, panel.account.settings.timeZone)
      return report.messages(values, sourceOf(panel, news), which)
    },
  })
}
