/**
 * A process with a simulated service of many panels, separate from the client so that the client's cost can
 * be measured alone. It sends the credentials, creates events from the first message on, and ends with its
 * parent process.
 */
import type { Fault } from '../src/simulator/faults/active-faults.ts'
import { bodyText, ok, withJsonText } from '../src/simulator/http/http-response.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { devices, eventsFrom } from './sample-responses.ts'

/** The argument of the process. */
export interface ServiceTask {
  panels: number
  /** True if each panel has 64 devices and 1,000 events, more than any simulated one. */
  isLarge: boolean
  /** Milliseconds between two events, which go to the panels in turn; 0 for no events. */
  eventEvery: number
}

/** The first message of the process. */
export interface ServiceAddress {
  url: string
  email: string
  password: string
  userCode: string
  serials: readonly string[]
}

const task: ServiceTask = JSON.parse(process.argv[2] ?? '{}')
const simulator = await startSimulator({ panels: task.panels, maxLoggedRequests: 1 })
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

/** Returns a fault that always sends the same response. */
function always(body: unknown): Fault {
  const answer = withJsonText(ok(body), bodyText(ok(body)))
  return { name: 'the same answer', answer: () => answer }
}
