import assert from 'node:assert/strict'
import { type Life, type Lived, usualHouse } from '../../../harness/simulation/life.ts'
import { live } from '../../../harness/simulation/live.ts'
import type { DeedOf } from '../../../harness/simulation/stories/sentences.ts'
import { minute, second } from '../../../src/duration.ts'

/** Milliseconds for which an instance is off. */
const off = 4 * minute

/** A kill of the second instance, which is off for a time. */
function killFor(lasts: number): DeedOf<'kill'> {
  return { what: 'kill', steps: 0, lasts, instance: 1 }
}

/**
 * A burglary at a house with two instances.
 * @param kill what happens before the alarm; else as much time passes
 */
function burglary(kill?: DeedOf<'kill'>): Life {
  const steps: Life['steps'] = [
    { after: minute, deed: { what: 'arm', partition: 1, state: 'AWAY', person: 'Anna', exitDelay: 0 } },
    ...(kill === undefined ? [] : [{ after: second, deed: kill }]),
    { after: minute + (kill === undefined ? off + second : 0), deed: { what: 'open', zone: 2 } },
    { after: minute, deed: { what: 'close', zone: 2 } },
    { after: minute, deed: { what: 'disarm', partition: 1, person: 'Ben', isThreatened: false } },
  ]
  return { house: { ...usualHouse, instances: 2 }, steps }
}

/** Returns all that a node of an instance has told in a life, without repetitions: how much is told together depends on its polls. */
function toldBy(instance: number, node: string, { record }: Lived): string[] {
  const start = new RegExp(`^\\d+ instance ${instance} ${node} `)
  const told = record.lines
    .filter((line) => start.test(line))
    .map((line) => JSON.parse(line.replace(start, '')))
    .flatMap(({ topic, payload }) => wordsOf(payload).map((words) => `${topic}: ${words}`))
  return [...new Set(told)].sort()
}

function wordsOf(
  payload: { summary?: string; id?: number } | { text: string }[] | string,
): (string | number | undefined)[] {
  if (typeof payload === 'string') return [payload]
  return Array.isArray(payload) ? payload.map(({ text }) => text) : [payload.summary ?? payload.id]
}

/** Returns the number of times that the state node of an instance has shown that it signs in. */
function startsOf(instance: number, { record }: Lived): number {
  const line = new RegExp(`^\\d+ instance ${instance} status of state .*"signing in"`)
  return record.lines.filter((one) => line.test(one)).length
}

function signInsOf({ record }: Lived): number {
  return record.lines.filter((line) => /POST .*\/auth"$/.test(line)).length
}

const nodes = ['state', 'events', 'incident', 'conditions'] as const

describe('Two instances that have one account and one panel', () => {
  it('tell the same, each with its own requests', async () => {
    const lived = await live(burglary())
    assert.deepEqual(lived.untrue, [])
    for (const node of nodes) {
      const told = toldBy(1, node, lived)
      assert.deepEqual(toldBy(2, node, lived), told)
      assert.ok(told.length > 1, `${node} tells ${told.join()}`)
    }
    assert.equal(signInsOf(lived), 2)
  })

  it('do not disturb each other: when one is killed, the other tells what it would tell', async () => {
    const [calm, killed] = [await live(burglary()), await live(burglary(killFor(off)))]
    assert.deepEqual(killed.untrue, [])
    for (const node of nodes) assert.deepEqual(toldBy(1, node, killed), toldBy(1, node, calm))
    assert.deepEqual(
      [1, 2].map((instance) => startsOf(instance, killed)),
      [1, 2],
    )
  })
})
