import assert from 'node:assert/strict'
import { event } from '../../../harness/fixtures/samples.ts'
import type { CursorState } from '../../../src/panel/events/cursor-format.ts'
import { blankHistory } from '../../../src/panel/events/event-history.ts'
import { InFlightEvents } from '../../../src/panel/events/in-flight.ts'
import type { FeedEvent } from '../../../src/panel/events/new-events.ts'

/** Events by their sequences, each with its sequence as its key. */
function events(...sequences: number[]): FeedEvent[] {
  return sequences.map((sequence) => ({ event: event(), key: `${sequence}`, sequence }))
}

/** A state whose list shows events 1 to 5. */
function stateAt(positions: Record<string, number>): CursorState {
  const memory = { ...blankHistory, sequences: Uint32Array.from([1, 2, 3, 4, 5]), next: 6 }
  return { serial: 'A1B2C3', memory, positions }
}

describe('What is on the wires behind a node', () => {
  it('stays there for exactly twenty turns of the event loop', async () => {
    const wires = new InFlightEvents()
    wires.noteSent('n', 0, events(1))
    const busy: string[][] = []
    for (let turn = 1; turn <= 20; turn += 1) {
      await new Promise(setImmediate)
      busy.push(wires.nodesInFlight)
    }
    assert.deepEqual(busy, [...Array.from({ length: 19 }, () => ['n']), []])
    assert.deepEqual(wires.recallFrom('n'), [])
  })

  it('stays for twenty turns from the latest event that was put there', async () => {
    const wires = new InFlightEvents()
    wires.noteSent('n', 0, events(1))
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
    wires.noteSent('n', 1, events(2))
    for (let turn = 0; turn < 19; turn += 1) await new Promise(setImmediate)
    assert.deepEqual(wires.nodesInFlight, ['n'])
    await new Promise(setImmediate)
    assert.deepEqual(wires.nodesInFlight, [])
  })

  it('is open, when it is taken back, until the node was given it, also where the node has no position yet', () => {
    const wires = new InFlightEvents()
    wires.noteSent('n', 0, events(1, 2))
    assert.deepEqual(wires.recallFrom('n'), [['n', 0]])
    assert.deepEqual(wires.unconfirmedKeys(stateAt({})), ['1', '2'])
    assert.deepEqual(wires.unconfirmedKeys(stateAt({ n: 0 })), ['1', '2'])
    assert.deepEqual(wires.unconfirmedKeys(stateAt({ n: 1 })), ['2'])
    assert.deepEqual(wires.unconfirmedKeys(stateAt({ n: 2 })), [])
  })

  it('is open, when a process ended before, until each node was given it', () => {
    const wires = new InFlightEvents()
    wires.recall(['3', '4'])
    wires.noteListed(events(3))
    assert.deepEqual(wires.unconfirmedKeys(stateAt({ n: 3, m: 2 })), ['3', '4'])
    assert.deepEqual(wires.unconfirmedKeys(stateAt({ n: 3, m: 5 })), ['4'])
  })
})
