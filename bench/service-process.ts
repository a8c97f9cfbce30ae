/**
 * A process with a simulated service of many panels, so that what the client costs can be told from what the service
 * costs. It sends how to sign in, lets events happen from the first message on, and ends with whoever started it.
 */
import type { Fault } from '../src/simulator/faults/fault.ts'
import { ok, textOf, withJsonText } from '../src/simulator/http/answer.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { devices, eventsFrom } from './answers.ts'

/** What the process is started with. */
export interface ServiceTask {
  panels: number
  /** Whether each panel has 64 devices and 1,000 events, more than any simulated one. */
  isLarge: boolean
  /** Milliseconds between two events of one panel after the other; none happen at 0. */
  eventEvery: number
}

/** What the process sends first. */
export interface ServiceAddress {
  url: string
  email: string
  password: string
  userCode: string
  serials: readonly string[]
}

const task: ServiceTask = JSON.parse(process.argv[2] ?? '{}')
const simulator = await startSimulator({ panels: task.panels, requestLogLimit: 1 })
if (task.isLarge) {
  simulator.faults.start(always(devices(64)), { operation: 'devices' })
  simulator.faults.start(always(eventsFrom(0, 1000)), { operation: 'events' })
}
const { url, email, password, userCode, serials } = simulator
process.send?.({ url, email, password, userCode, serials } satisfies ServiceAddress)
if (task.eventEvery > 0) {
  let nth = 0
  process.once('message', () => {
    setInterval(() => {
      const panel = simulator.world.panels[nth % task.panels]
      nth += 1
      panel?.log({ type_id: 86, description: String(Date.now()) })
    }, task.eventEvery)
  })
}
process.once('disconnect', () => process.exit())

/** Answers with the same as ever. */
function always(body: unknown): Fault {
  const answer = withJsonText(ok(body), textOf(ok(body)))
  return { name: 'the same answer', answer: () => answer }
}
