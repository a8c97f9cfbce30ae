import type { Node, NodeAPI, NodeDef } from 'node-red'
import { ReadingsReport } from '../src/messages/readings.ts'
import { sourceOf } from '../src/messages/source.ts'
import { kinds, readings } from '../src/panel/readings.ts'
import type { Device } from '../src/service/devices.ts'
import { attach } from './shared/attach.ts'
import { amount, numbers, oneOf, tick, words } from './shared/choices.ts'
import { reporting } from './shared/reporting.ts'

interface ReadingsDef extends NodeDef {
  panel?: string
  devices?: unknown
  kinds?: unknown
  emit?: unknown
  initial?: unknown
  temperatureDelta?: unknown
  brightnessDelta?: unknown
}

/** The node `keyholder-readings`: one message for each device and kind of reading. */
export default function register(RED: NodeAPI): void {
  function ReadingsNode(this: Node, def: ReadingsDef): void {
    RED.nodes.createNode(this, def)
    const chosen = words(def.kinds)
    const report = new ReadingsReport({
      devices: numbers(def.devices),
      kinds: kinds.filter((kind) => chosen.includes(kind)),
      temperatureDelta: amount(def.temperatureDelta),
      brightnessDelta: amount(def.brightnessDelta),
    })

    const behaviour = reporting<readonly Device[]>(RED, this, {
      emit: oneOf(def.emit, ['change', 'poll']),
      initial: tick(def.initial, true),
      operation: 'devices',
      watch: (panel) => panel.devices,
      messages: (panel, news, which) => {
        const values = readings(news.view, panel.account.settings.timeZone)
        return report.messages(values, sourceOf(panel, news), which)
      },
    })
    attach(RED, this, def.panel, behaviour)
  }

  RED.nodes.registerType('keyholder-readings', ReadingsNode)
}
