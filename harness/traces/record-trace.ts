import helper from 'node-red-node-test-helper'
import { TraceRecorder } from '../../src/account/requests/trace-recorder.ts'
import { systemClock } from '../../src/clock.ts'
import { traceFile } from '../../src/messages/trace-file.ts'
import type { Panel } from '../../src/panel/panel.ts'
import { processClock, processTime } from '../clock/process-fake-clock.ts'
import type { FlowHarness } from '../flow.ts'
import { prepare, type Scene } from './scenes.ts'
import { createTracePart } from './trace-flow.ts'

/** Plays a scene to a flow, and returns the trace that it records. */
export async function recordScene(harness: FlowHarness, scene: Scene): Promise<string> {
  const { duration, options, api = 'user', account: fields, acts } = scene
  const simulator = await harness.startSimulator({ maxLoggedRequests: 1e6, ...options })
  const panel = simulator.world.panel(simulator.serials[0] ?? '')
  prepare({ simulator, panel })
  const part = createTracePart(simulator, api, duration, fields)
  for (const [at, act] of acts) processClock.after(at, () => act({ simulator, panel }))
  await harness.startParts([part])
  const node = helper.getNode(part.panel) as unknown as { open(): Promise<Panel> }
  const { account } = await node.open()
  const trace = new TraceRecorder(simulator.serials[0] ?? '', systemClock)
  account.history.traces.set(trace.serial, trace)
  await processTime.pass(duration)
  trace.stop()
  const text = traceFile({ trace, account, versions: { plugin: 'simulator', nodeRed: '', node: '' } })
  await harness.close()
  // The replay has the simulator's own, which are the largest.
  return text.replace(/^\{"at":\d+,"op":"(event_profiles|feature_set)","status":200.*\n/gm, '')
}
