import { PolledPanels } from '../../harness/panel/polled-panels.ts'
import { minute } from '../../src/duration.ts'
import { hang } from '../../src/simulator/faults/network-faults.ts'

// Real seconds: the time of an attempt is got's own matter.
describe('An outage of ten minutes', () => {
  let panels: PolledPanels
  afterEach(() => panels.close())

  it('without any responses costs no more than other outages', async () => {
    panels = await PolledPanels.start(1, 1)
    const end = panels.harness.simulator.faults.start(hang())
    await panels.pass(10 * minute)
    end()
    await panels.assertRecovered()
  })
})
