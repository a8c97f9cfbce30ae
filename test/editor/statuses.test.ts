import { accountNode, at, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import { inEveryNodeRed } from '../../harness/browser/in-every-look.ts'
import { placed } from '../../harness/browser/placed-nodes.ts'
import { Simulators } from '../../harness/browser/simulators.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'

const simulators = new Simulators()
let simulator: Simulator
const timezoneId = 'Asia/Tokyo'

/** Returns flows that follow a panel in which nothing happens by itself. */
const setup = async () => {
  simulator = await simulators.start({ scenario: 'calm' })
  const { serials, userCode } = simulator
  const every = { stateEvery: 2, eventsEvery: 2, devicesEvery: 2 }
  return {
    language: 'de-DE',
    timezoneId,
    flows: [
      { id: 'tab', type: 'tab', label: 'Statuses' },
      accountNode('account', at(simulator)),
      panelNode('panel', { name: 'House', serial: serials[0], ...every, credentials: { userCode } }),
      ...placed([
        { id: 'state', panel: 'panel', partitions: [1] },
        { id: 'readings', panel: 'panel' },
        { id: 'events', panel: 'panel' },
        { id: 'conditions', panel: 'panel' },
        { id: 'query', panel: 'panel' },
        { id: 'health', account: 'account', panel: 'panel' },
      ]),
    ],
  }
}

inEveryNodeRed('The status of a node', setup, (editor) => {
  after(() => simulators.close())

  it('is in the language of the browser, with and without values, also in an editor that opens later', async () => {
    const home = simulator.world.panel('A1B2C3')
    const shown = async (texts: Record<string, string>) => {
      for (const [id, text] of Object.entries(texts)) await editor().hasStatus(`a ${id}`, text)
    }
    const quiet = {
      state: 'unscharf, bereit',
      // Contacts only: motion and smoke are neither open nor closed.
      readings: 'alles zu (5)',
      events: 'noch nichts Neues',
      conditions: 'alles in Ordnung',
      query: 'inaktiv',
    }
    await shown(quiet)
    home.open(2)
    const open = {
      state: 'nicht bereit: Kitchen window',
      readings: '1 offen: Kitchen window',
      conditions: '1 zu beachten: Kitchen window',
    }
    await shown(open)
    await editor().reload()
    await shown({ ...open, events: quiet.events, query: quiet.query })
    home.close(2)
    await shown(quiet)
  })

  it('has the time of the zone in which the browser is', async () => {
    const now = new Date()
    const datetime = now.toISOString().slice(0, 19).replace('T', ' ')
    simulator.world.panel('A1B2C3').log({ type_id: 1, zone: 2, zone_name: 'Kitchen window', datetime })
    const time = now.toLocaleTimeString('en-GB', { timeZone: timezoneId, timeStyle: 'short' })
    await editor().hasStatus('a events', `Interior Alarm, Kitchen window, ${time}`)
  })
})
