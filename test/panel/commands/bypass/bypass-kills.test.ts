import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { minute } from '../../../../src/duration.ts'
import type { Fault } from '../../../../src/simulator/faults/active-faults.ts'

describe('An arming with bypass whose process is killed', () => {
  for (const operation of ['set_bypass_zone', 'set_state']) {
    it(`at ${operation} leaves the bypass to the panel: the next process sends nothing, and its arming names the zone`, async () => {
      const at = await CommandedPanel.open()
      at.simulated.open(2)
      const kill: Fault = {
        name: 'kill',
        send: (getResponse) => {
          getResponse()
          if (operation === 'set_state') at.simulated.disarm(1)
          if (operation === 'set_state') at.simulated.bypass(2, true)
          at.harness.killProcess()
        },
      }
      at.simulator.faults.start(kill, { operation })
      at.command({ ...setState('AWAY'), openZones: 'bypass' })
      await at.harness.time.until(() => at.sent.includes(operation))
      await at.settle()
      at.simulator.faults.clear()
      const { length } = at.sent
      const next = await at.restart()
      await at.pass(10 * minute)
      assert.deepEqual([at.sent.length, at.bypassed, at.said], [length, [2], ''])
      assert.deepEqual(
        (await readdir(at.harness.folder)).filter((name) => name.includes('bypass')),
        [],
      )
      const arming = at.command(setState('AWAY'), undefined, next)
      await at.waitFor(arming)
      assert.deepEqual(arming.done?.view.bypassed, [{ zone: 2, name: 'Kitchen window' }])
      await next.close()
      await at.panel.close()
      await at.close()
    })
  }
})
