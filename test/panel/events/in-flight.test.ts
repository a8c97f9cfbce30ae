import assert from 'node:assert/strict'
import { event } from '../../../harness/fixtures/samples.ts'
import { InFlightEvents } from '../../../src/panel/events/cursor/cursor-commit.ts'
import type { CursorState } from '../../../src/panel/events/cursor/cursor-format.ts'
import { blankHistory } from '../../../src/panel/events/event-history.ts'
import type { FeedEvent } from '../../../src/panel/events/new-events.ts'

/** Returns events with these sequences, each with its sequence as its key. */
function events(...sequences: number[]): FeedEvent[] {
  return sequences.map((sequence) => ({ event: event(), key: `${sequence}`, sequence }))
}

/** Returns a state whose list contains the events 1 to 5. */
function stateAt(positions: Record<string, number>): CursorState {
  const memory = { ...blankHistory, hashes: Float64Array.from([1, 2, 3, 4, 5]), next: 6 }
  return { serial: 'A1B2C3', memory, positions }
}

describe('The in-flight events of a node', () => {
  it('remain in flight for exactly twenty turns of the event loop', async () => {
    const inFlight = new InFlightEvents()
    inFlight.noteSent('n', 0, events(1))
    const nodes: string[][] = []
    for (let turn = 1; turn <= 20; turn += 1) {
      await new Promise(setImmediate)
      nodes.push(inFlight.nodesInFlight)
    }
    assert.deepEqual(nodes, [...Array.from({ length: 19 }, () => ['n']), []])
    assert.deepEqual(inFlight.recallFrom('n'), [])
  })

  it('remain in flight for twenty turns after the latest event', async () => {
    const inFlight = new InFlightEvents()
    inFlight.noteSent('n', 0, events(1))
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
    inFlight.noteSent('n', 1, events(2))
    for (let turn = 0; turn < 19; turn += 1) await new Promise(setImmediate)
    assert.deepEqual(inFlight.nodesInFlight, ['n'])
    await new Promise(setImmediate)
    assert.deepEqual(inFlight.nodesInFlight, [])
  })

  it('are unconfirmed after a recall until the node has received them, even if it has no position yet', () => {
    const inFlight = new InFlightEvents()
    inFlight.noteSent('n', 0, events(1, 2))
    assert.deepEqual(inFlight.recallFrom('n'), [['n', 0]])
    assert.deepEqual(inFlight.unconfirmedKeys(stateAt({})), ['1', '2'])
    assert.deepEqual(inFlight.unconfirmedKeys(stateAt({ n: 0 })), ['1', '2'])
    assert.deepEqual(inFlight.unconfirmedKeys(stateAt({ n: 1 })), ['2'])
    assert.deepEqual(inFlight.unconfirmedKeys(stateAt({ n: 2 })), [])
  })

  it('are unconfirmed after a restart until every node has received them', () => {
    const inFlight = new InFlightEvents()
    inFlight.recall(['3', '4'])
    inFlight.noteListed(events(3))
    assert.deepEqual(inFlight.unconfirmedKeys(stateAt({ n: 3, m: 2 })), ['3', '4'])
    assert.deepEqual(inFlight.unconfirmedKeys(stateAt({ n: 3, m: 5 })), ['4'])
  })
})
