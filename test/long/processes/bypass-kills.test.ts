import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../harness/clock/until.ts'
import { startNodeRedHarness } from '../../../harness/node-red.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'

const command = {
  id: 'command',
  type: 'keyholder-command',
  partition: 1,
  state: 'AWAY',
  openZones: 'bypass',
}
const inject = { id: 'button', type: 'inject', props: [], wires: [['command']] }

/** More than the minute after which an interrupted command can no longer take effect. */
const settling = 75_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('A real Node-RED that is killed while it arms past open zones', () => {
  const kills = [
    ['set_bypass_zone', 1],
    ['set_bypass_zone', 2],
    ['set_state', 1],
    ['process_status', 3],
  ] as const

  it(`at request ${kills.map(([operation, request]) => `${request} to ${operation}`).join(', ')} is armed with exactly its recorded bypasses after the next start, or leaves none, and tells a Catch node`, async () => {
    // At once, because each needs more than a minute of real time, in which it only waits.
    const ends = await Promise.allSettled(
      kills.map(([operation, request]) => killAndStartAgain(operation, request)),
    )
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  })
})

/** Kills a Node-RED at a request of an arming, and checks what its next start leaves and tells. */
async function killAndStartAgain(operation: string, request: number): Promise<void> {
  const harness = await startNodeRedHarness()
  try {
    const { simulator, messages } = harness
    const home = simulator.world.panel(simulator.serials[0] ?? '')
    home.open(2)
    home.open(3)
    await harness.writeFlows([command, inject], { allowCommands: true })
    const killed = harness.startNodeRed()
    await killed.url
    let requests = 0
    const kill: Fault = {
      name: 'kill',
      send: (getResponse, writer) => {
        requests += 1
        if (requests < request) return writer.send(getResponse())
        getResponse()
        void killed.kill()
      },
    }
    simulator.faults.start(kill, { operation })
    await killed.press('button')
    await until(() => requests === request && !killed.isRunning)
    simulator.faults.clear()
    const next = harness.startNodeRed()
    await next.url
    await pause(settling)
    await until(() => messages.from('tab catch').all.length > 0)
    const folder = join(harness.userDir, 'keyholder')
    const name = (await readdir(folder)).find((one) => one.endsWith('.bypasses.json'))
    const content = name === undefined ? '' : await readFile(join(folder, name), 'utf8')
    const bypassed = [2, 3].filter((zone) => home.zone(zone).traits.bypass?.enabled)
    const state = home.partitions[0]?.state
    const { error } = messages.from('tab catch').all[0] as unknown as {
      error: { code: string; message: string }
    }
    assert.equal(error.code, 'CLOSED')
    if (state === 'AWAY') {
      assert.deepEqual(bypassed, [2, 3])
      assert.deepEqual(JSON.parse(content).armings[0].zones, [2, 3])
      assert.match(error.message, /was carried out, but could not be answered.*Zones 2, 3 are bypassed/)
    } else {
      assert.deepEqual([state, bypassed, content], ['DISARM', [], ''])
      assert.match(error.message, /was not carried out to its end.*The bypass was taken back of/)
    }
    assert.equal(requestsTo(simulator, 'set_state'), operation === 'set_state' ? 1 : 0)
  } finally {
    await harness.close()
  }
}
