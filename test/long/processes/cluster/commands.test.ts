import assert from 'node:assert/strict'
import { setTimeout as pass } from 'node:timers/promises'
import { until } from '../../../../harness/clock/until.ts'
import { testCopiedCommands } from '../../../../harness/cluster/copied-commands.ts'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis('Two instances of a cluster', (server) =>
  testCopiedCommands(server, repetitions(10, 3), 10),
)

const setState = { type: 'keyholder-command', action: 'set_state', partition: -1 }
const nodes = [
  { id: 'arm', type: 'inject', repeat: '', wires: [['arming']] },
  { id: 'arming', ...setState, state: 'AWAY' },
  { id: 'disarm', type: 'inject', repeat: '', wires: [['disarming']] },
  { id: 'disarming', ...setState, state: 'DISARM' },
]

describeWithRedis('An arming in a real Node-RED of a cluster', (server) => {
  let instances: NodeRedInstances

  before(async () => {
    instances = await NodeRedInstances.prepare(server)
  })
  after(() => instances.close())

  const commands = () => instances.simulator.requests.filter(({ path }) => path.endsWith('/set_state')).length
  const states = () => {
    const { world, serials } = instances.simulator
    return world.panel(serials[0] ?? '').partitions.map(({ state }) => state)
  }
  const isDisarmed = () => states().every((state) => state === 'DISARM')

  it('is never the last word after a disarm in the other one, though the first is killed at any moment', async () => {
    const { messages } = instances
    const two = await instances.start('two', nodes)
    const disarmed = messages.from('disarming')
    const rounds = repetitions(10, 3)
    let sent = 0
    for (let round = 0; round < rounds; round += 1) {
      const one = await instances.start('one', nodes)
      const [answers, before] = [disarmed.all.length, commands()]
      const arming = one.press('arm').catch(() => {})
      await pass(round * 150)
      const disarming = two.press('disarm')
      const killing = pass(Math.random() * 300).then(() => one.kill())
      await Promise.all([arming, disarming, killing])
      await messages.until(() => disarmed.all.length > answers, 'the answer to the disarm')
      await until(isDisarmed)
      const after = commands()
      sent += after - before
      await pass(2000)
      assert.deepEqual([commands(), isDisarmed()], [after, true])
    }
    console.log(`      ${sent} commands were sent in ${rounds} rounds`)
  }).timeout(1_800_000)
})
