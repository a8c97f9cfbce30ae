import assert from 'node:assert/strict'
import type { Node, NodeAPI } from 'node-red'
import { polledBehavior } from '../../../nodes/binding/polled-behavior.ts'
import type { NodeStatus } from '../../../nodes/shared/node-status.ts'
import type { Message, Which } from '../../../src/messages/message.ts'
import type { Told } from '../../../src/panel/lease.ts'
import type { Panel } from '../../../src/panel/panel.ts'
import type { PollCondition, Poller, Subscriber } from '../../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../../src/panel/snapshot.ts'

const standby: PollCondition = { state: 'standby', holder: 'other' }

/** A node in a cluster whose polls and lease the test drives; each message is what was selected for it. */
class DrivenNode {
  readonly sent: Which[] = []
  readonly recalled: unknown[] = []
  /** The values that another process, or one before this, has told. */
  known: Promise<Told | undefined> = Promise.resolve(undefined)
  isHeld = true
  #subscriber: Subscriber<Snapshot<unknown>> | undefined

  constructor() {
    const node = { send: ([[message]]: [[{ payload: Which }]]) => this.sent.push(message.payload) }
    const behavior = polledBehavior<unknown>({} as NodeAPI, node as unknown as Node, {
      emit: 'change',
      initial: true,
      deliveredTo: { id: 'node', instances: 'one' },
      nothingChosen: '',
      operation: 'status',
      work: 'state',
      report: { told: [], continueFrom: (told) => this.recalled.push(told) },
      watch: () =>
        ({
          subscribe: (subscriber: Subscriber<Snapshot<unknown>>) => {
            this.#subscriber = subscriber
            return () => {}
          },
        }) as unknown as Poller<Snapshot<unknown>>,
      messages: (_panel, _snapshot, which) => [{ payload: which } as Message<unknown>],
      texts: () => ({}),
    })
    const store = (node: DrivenNode) => ({
      get isHeld() {
        return node.isHeld
      },
      load: () => node.known,
      save: async () => {},
    })
    const panel = { toldStore: () => store(this) } as unknown as Panel
    const status = { followSituation: () => () => {}, showCondition: () => {} }
    behavior.subscribe(panel, status as unknown as NodeStatus, () => {})
  }

  async poll(): Promise<void> {
    this.#subscriber?.snapshot({} as Snapshot<unknown>)
    await new Promise(setImmediate)
  }

  condition(condition: PollCondition): void {
    this.#subscriber?.condition(condition)
  }
}

describe('A node that reports a polled value on several instances', () => {
  let node: DrivenNode

  beforeEach(() => {
    node = new DrivenNode()
  })

  it('goes on from what another instance has told since the start', async () => {
    node.condition(standby)
    node.known = Promise.resolve({ told: 'state', isOwn: false })
    await node.poll()
    assert.deepEqual([node.recalled, node.sent], [['state'], ['changed']])
  })

  it('tells everything after a start, whoever has told it before', async () => {
    for (const isOwn of [true, false]) {
      node = new DrivenNode()
      node.known = Promise.resolve({ told: 'state', isOwn })
      await node.poll()
      assert.deepEqual([node.recalled, node.sent], [[], ['all']])
    }
    node = new DrivenNode()
    node.condition(standby)
    node.known = Promise.resolve({ told: 'state', isOwn: true })
    await node.poll()
    assert.deepEqual(node.sent, ['all'])
  })

  it('goes on from what it has told itself if nobody else has told anything meanwhile', async () => {
    await node.poll()
    node.condition(standby)
    node.known = Promise.resolve({ told: 'state', isOwn: true })
    await node.poll()
    assert.deepEqual([node.recalled, node.sent], [[], ['all', 'changed']])
  })

  it('tells nothing if another instance sends again, or nobody knows who, by the time it knows what was told', async () => {
    for (const lose of [() => node.condition(standby), () => Object.assign(node, { isHeld: false })]) {
      node = new DrivenNode()
      node.condition(standby)
      let answer = (_told: Told) => {}
      node.known = new Promise((resolve) => {
        answer = resolve
      })
      await node.poll()
      await node.poll()
      lose()
      answer({ told: 'state', isOwn: false })
      await new Promise(setImmediate)
      assert.deepEqual(node.sent, [])
    }
  })
})
