import { PolledPanels } from '../../harness/panel/polled-panels.ts'
import { minute, second } from '../../src/duration.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { hang, reset } from '../../src/simulator/faults/network-faults.ts'
import { htmlPage, status } from '../../src/simulator/faults/response-faults.ts'

/** The longest backoff without a Retry-After, with the random number 0.5 of these tests. */
const longestOwnPause = 7.5 * minute

describe('An outage of ten minutes', () => {
  let panels: PolledPanels
  afterEach(() => panels.close())

  it('with a closed port causes one warning, one recovery notice, no event, no burst of requests and no sign-in', async () => {
    panels = await PolledPanels.start()
    const open = await panels.audit.shut()
    await panels.pass(10 * minute)
    await open()
    await panels.assertRecovered()
  })

  for (const [name, fault, pause] of [
    ['errors of the service', () => status(500), 0],
    ['503 without Retry-After', () => status(503), longestOwnPause],
    ['web pages instead of data', () => htmlPage(), 0],
    ['web pages with status 502', () => htmlPage(502), longestOwnPause],
    ['reset connections', () => reset(), 0],
  ] as const) {
    it(`with ${name} causes one warning, one recovery notice, no event, no burst of requests and no sign-in`, async () => {
      panels = await PolledPanels.start(1)
      const end = panels.harness.simulator.faults.start(fault() as Fault)
      await panels.pass(10 * minute)
      end()
      await panels.assertRecovered(pause)
    })
  }

  it('with alternating faults causes one warning and one recovery notice, too', async () => {
    panels = await PolledPanels.start(1, 1)
    const faults = [reset(), status(500), htmlPage(), hang(), status(503), htmlPage(502)]
    for (const fault of faults) {
      const end = panels.harness.simulator.faults.start(fault)
      await panels.pass(100 * second)
      end()
    }
    await panels.assertRecovered(longestOwnPause)
  }).timeout(120_000)
})
