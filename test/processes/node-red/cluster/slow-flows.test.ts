import assert from 'node:assert/strict'
import { until } from '../../../../harness/clock/until.ts'
import { measureLateness } from '../../../../harness/cluster/fleet/disturbed-fleet.ts'
import { mostWithin } from '../../../../harness/cluster/fleet/instance-fleet.ts'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { blockingCode } from '../../../../harness/disturbances/blocked-loop.ts'
import { createEventLoad, type EventLoad } from '../../../../harness/node-red/event-load.ts'
import type { NodeRedProcess } from '../../../../harness/node-red/node-red-process.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { minute, second } from '../../../../src/duration.ts'
import type { Fault } from '../../../../src/simulator/faults/active-faults.ts'

const names = ['one', 'two', 'three'] as const

type Name = (typeof names)[number]

/** Requests per minute: fewer than the polls want, so that they use them up. */
const limit = 60

/** The events in flight if the flow needs 25 ms for each of them. */
const portion = 2

/** Milliseconds between the last poll of an instance and the first one of another, which waits for the end of the lease. */
const leastHandover = 3 * second

const setState = { type: 'keyholder-command', action: 'set_state', partition: -1 }

/** Returns the nodes of an instance: a flow that needs 25 ms for each event, a button that blocks it, and commands. */
function nodesOf(name: Name) {
  const post = (from: string) => `return { payload: { from: '${from}', message: { ...msg, by: '${name}' } } }`
  const slow = `${blockingCode('25')}\n${post('slow')}`
  const blocked = `node.warn('blocked for ' + msg.payload)\n${blockingCode('msg.payload')}\n${post('blocked')}`
  return [
    { id: 'events', type: 'keyholder-events', first: 'deliver', wires: [['slow']] },
    { id: 'slow', type: 'function', func: slow, outputs: 1, wires: [['post tab']] },
    { id: 'state', type: 'keyholder-state' },
    { id: 'block', type: 'inject', repeat: '', wires: [['blocked']] },
    { id: 'blocked', type: 'function', func: blocked, outputs: 1, wires: [['post tab']] },
    { id: 'arm', type: 'inject', repeat: '', wires: [['arming']] },
    { id: 'arming', ...setState, state: 'AWAY' },
    { id: 'disarm', type: 'inject', repeat: '', wires: [['disarming']] },
    { id: 'disarming', ...setState, state: 'DISARM' },
  ]
}

describeWithRedis('Three real Node-REDs in a cluster with a slow flow', (server) => {
  let instances: NodeRedInstances
  let load: EventLoad
  let lateness: () => number
  const processes = new Map<Name, NodeRedProcess>()

  before(async () => {
    await server.restart({})
    instances = await NodeRedInstances.prepare(server, limit)
    lateness = measureLateness()
    load = createEventLoad(instances, 'slow')
    load.addEvents(1)
    const start = async (name: Name) => processes.set(name, await instances.start(name, nodesOf(name)))
    await Promise.all(names.map(start))
    await load.waitForAll()
  })
  after(async () => {
    lateness()
    await instances.close()
  })

  const told = () => instances.messages.from('slow').all
  const processOf = (name: Name) => processes.get(name) ?? assert.fail(name)
  /** The instance that has sent the latest event. */
  const sender = () => told().at(-1)?.by as Name

  /** Adds events, which come in one list; resolves when some of them were sent. */
  const beginList = async (add: () => void) => {
    const { length } = told()
    add()
    await instances.messages.until(() => told().length > length + 4, 'some of the list')
  }
  /** Resolves when the instance is blocked. */
  const block = async (nodeRed: NodeRedProcess, ms: number) => {
    void nodeRed.press('block', { payload: ms })
    await until(() => nodeRed.output.includes(`blocked for ${ms}`), 'a blocked instance')
  }
  /** Checks the messages since one: no event is lost, and repeated are those that were in flight when another one went on. */
  const assertEachOnce = (from: number) => {
    const messages = told().slice(from)
    const senders = messages.map(({ by }) => by)
    const changes = senders.filter((by, at) => at > 0 && by !== senders[at - 1]).length
    const events = new Set(messages.map(({ payload }) => payload.id)).size
    console.log(`      ${events} events, ${messages.length} messages, ${changes} changes of the sender`)
    assert.ok(messages.length - events <= portion * changes)
    // What was on its way in an instance that was blocked comes after what another one has sent again.
    const unflagged = messages.filter(({ redelivered }) => redelivered !== true)
    assert.equal(new Set(unflagged.map(({ payload }) => payload.id)).size, unflagged.length)
    assert.deepEqual([load.counts.lost, load.counts.gaps], [0, 0])
  }

  it('send each of 250 events of one list once, though one is blocked for 2 s meanwhile', async () => {
    const { faults, world } = instances.simulator
    const panel = world.panel('A1B2C3')
    const listed = new Map(panel.events.map((event) => [event.event, event]))
    // The list of the simulator has room for 60.
    const answer: Fault['answer'] = (getOriginal) => {
      const original = getOriginal()
      return original.status === 200 ? { ...original, body: [...listed.values()] } : original
    }
    const end = faults.start({ name: 'a long list', answer }, { operation: 'events' })
    const before = told().length
    await beginList(() => {
      for (let left = 250; left > 0; left -= 50) {
        load.addEvents(50)
        for (const event of panel.events) listed.set(event.event, event)
      }
    })
    await block(processOf(sender()), 2 * second)
    await load.waitForAll()
    end()
    await load.finish()
    assertEachOnce(before)
  })

  it('lose no event, send no command twice and poll one at a time, though one is blocked for 5 or 8 s, or killed', async () => {
    const { messages, requests, simulator } = instances
    const before = told().length
    const blocked = messages.from('blocked')
    const add = () => load.addEvents(12)
    await beginList(add)
    await block(processOf(sender()), 5 * second)
    await blocked.next(({ payload }) => payload === 5 * second)
    await load.waitForAll()

    // This time the answer to its command is on its way, and the next one is killed in the middle of a list.
    let sendAnswer: (() => void) | undefined
    const send: Fault['send'] = (getResponse, writer) => {
      const response = getResponse()
      sendAnswer = () => writer.send(response)
    }
    simulator.faults.start({ name: 'withheld', send }, { operation: 'set_state', times: 1 })
    const arming = processOf(sender())
    await arming.press('arm')
    await until(() => sendAnswer !== undefined, 'a command')
    await block(arming, 8 * second)
    sendAnswer?.()
    await beginList(add)
    const killed = processOf(sender())
    await killed.kill()
    await load.waitForAll()
    // On a very busy machine, it may be the one that sends again.
    if (killed !== arming) await blocked.next(({ payload }) => payload === 8 * second)
    const outcomes = () => [
      ...messages.from('arming').all,
      ...messages.from('tab catch').all.filter(({ error }) => error.source.id === 'arming'),
    ]
    await messages.until(() => outcomes().length > 0, 'the outcome of the arming')
    const commands = () => requests.filter(({ path }) => path.endsWith('/set_state')).length
    assert.equal(commands(), 1)
    const other = [...processes.values()].find((one) => one !== arming && one !== killed)
    await other?.press('disarm')
    await messages.from('disarming').next()
    await load.finish()

    assertEachOnce(before)
    assert.deepEqual([outcomes().length, commands()], [1, 2])
    // What arrives while this process is busy is noted late.
    const late = lateness()
    const most = mostWithin(
      requests.map(({ at }) => at),
      minute - late,
    )
    const polls = requests.filter(({ path }) => path.endsWith('/events'))
    const handovers = polls.flatMap(({ by, at }, nth) => {
      const last = polls[nth - 1]
      return last === undefined || last.by === by ? [] : [at - last.at]
    })
    console.log(
      `      ${most} of ${limit} requests in the fullest minute; handovers after ${handovers.map((ms) => (ms / second).toFixed(1))} s; ${JSON.stringify(outcomes().map(({ payload, error }) => error?.message ?? payload))}`,
    )
    assert.ok(most <= limit)
    assert.ok(handovers.every((ms) => ms > leastHandover - late))
  })
})
