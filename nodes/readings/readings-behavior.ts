import type { Node, NodeAPI } from 'node-red'
import { isChosen, type ReadingsChoice, ReadingsReport } from '../../src/messages/readings-messages.ts'
import { type PanelDevices, readingKinds, readings } from '../../src/panel/devices/readings.ts'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'
import { polledBehavior } from '../binding/polled-behavior.ts'
import {
  booleanOption,
  deliveringNode,
  integerList,
  oneOf,
  positiveNumber,
  wordList,
} from '../shared/node-options.ts'
import { alarmText } from '../shared/node-status.ts'
import type { StatusText } from '../shared/status-text.ts'
import { isCalm, readingsStatus } from './readings-status.ts'

/** The settings of a readings node, as stored in a flow file. */
export interface ReadingsDef extends AttachedDef {
  devices?: unknown
  kinds?: unknown
  emit?: unknown
  initial?: unknown
  instances?: unknown
  temperatureDelta?: unknown
  brightnessDelta?: unknown
}

/** Returns the behavior of a readings node: it reports the selected devices and kinds of reading. */
export function behavior(RED: NodeAPI, node: Node, def: ReadingsDef): Behavior {
  const settings = { ...def }
  const kinds = wordList(settings, 'kinds', readingKinds)
  const choice: ReadingsChoice = {
    devices: integerList(settings, 'devices'),
    kinds,
    temperatureDelta: positiveNumber(def.temperatureDelta),
    brightnessDelta: positiveNumber(def.brightnessDelta),
  }
  const report = new ReadingsReport(choice)
  let summary: StatusText | undefined

  const polled = polledBehavior<PanelDevices>(RED, node, {
    emit: oneOf(def.emit, ['change', 'poll']),
    initial: booleanOption(def.initial, true),
    deliveredTo: deliveringNode(node, def),
    nothingChosen:
      'The panel has none of the devices selected in this node, or they do not have the selected readings. Change "Devices" or "Readings" in this node.',
    operation: 'devices',
    watch: (panel) => panel.devices,
    messages: (panel, snapshot, which) => {
      const values = readings(snapshot.view, panel.account.settings.timeZone)
      summary = readingsStatus(values.filter((reading) => isChosen(reading, choice)))
      return report.messages(values, panel.sourceOf(snapshot), which)
    },
    texts: ({ situation: { facts } }) => ({
      fine: summary,
      alarm: summary && isCalm(summary) ? alarmText(facts) : undefined,
      isPending: facts.isUnready,
    }),
  })
  if (kinds.length > 0 && !kinds.includes('open')) return polled
  return {
    ...polled,
    subscribe(panel, ...rest) {
      const leave = panel.awaitDoors()
      const unsubscribe = polled.subscribe(panel, ...rest)
      return () => {
        unsubscribe()
        leave()
      }
    },
  }
}
