import assert from 'node:assert/strict'
import { type House, type Life, usualHouse } from '../../../harness/simulation/life.ts'
import { LifeRecord } from '../../../harness/simulation/life-record.ts'
import { drawLife } from '../../../harness/simulation/stories/drawn-life.ts'
import { isSameUntruth } from '../../../harness/simulation/stories/failing-life.ts'
import { tellStory } from '../../../harness/simulation/stories/story.ts'

const minute = 60_000
const record = new LifeRecord()
const command = 'npm run simulate -- --seed 7'

function lifeOf(count: number, house: Partial<House> = {}): Life {
  const step = { after: minute, deed: { what: 'open', zone: 3 } } as const
  return { house: { ...usualHouse, ...house }, steps: Array.from({ length: count }, () => step) }
}

function untruths(count: number) {
  return Array.from({ length: count }, (_, nth) => ({
    subject: `claim ${nth}`,
    sentence: `state: claim ${nth}\nis false`,
    at: (nth + 3) * minute,
  }))
}

describe('The story of a failing life', () => {
  it('tells the steps with their times, what was untrue, and the command that repeats it', () => {
    const life: Life = {
      house: usualHouse,
      steps: [
        { after: 0, deed: { what: 'arm', partition: 1, state: 'AWAY', person: 'Anna', exitDelay: 30 } },
        { after: 80_000, deed: { what: 'open', zone: 3 } },
        { after: 0, deed: { what: 'panel clock', offset: -60 * minute, lasts: Number.POSITIVE_INFINITY } },
        { after: 0, deed: { what: 'late events', seconds: 90, lasts: 10 * minute } },
      ],
    }
    const times = [30_000, 110_000, 110_000, 110_000]
    assert.deepEqual(tellStory(life, { times, untrue: untruths(1), record }, command), [
      'The usual house.',
      '  0:30 Anna arms House AWAY, with an exit delay of 30 seconds',
      '  1:50 Bedroom window (zone 3) opens',
      '  1:50 the clock of the panel is 60 minutes behind for ever',
      '  1:50 events come 90 seconds late for 10 minutes',
      'Untrue at 3:00: state: claim 0 | is false',
      `Repeat it with: ${command}`,
    ])
  })

  it('tells of its house what differs from the usual one', () => {
    const life = lifeOf(0, { hasAlarmList: false, panelOptions: { reports: 'none', abortTime: 0 } })
    const [house] = tellStory(life, { times: [], untrue: [], record }, command)
    // The abort time is that of the simulated panel.
    assert.equal(
      house,
      'A house with a difference: the service has no list of alarms; panel options reports none.',
    )
  })

  it('has twenty lines at most, and leaves out no step', () => {
    for (const count of [0, 1, 13, 14, 15, 31, 200]) {
      const life = lifeOf(count)
      const lines = tellStory(life, { times: life.steps.map(() => 0), untrue: untruths(9), record }, command)
      assert.ok(lines.length <= 20, `${lines.length} lines for ${count} steps`)
      assert.equal(lines.join().match(/zone 3/g)?.length ?? 0, count)
      assert.ok(lines.includes('and 6 more'))
      assert.equal(lines.at(-1), `Repeat it with: ${command}`)
    }
  })

  it('tells the steps to which a life did not come that ended with an error', () => {
    const [, first, second] = tellStory(lifeOf(2), { times: [minute], untrue: [], record }, command)
    assert.equal(first, '  1:00 Bedroom window (zone 3) opens')
    assert.equal(second, '  then Bedroom window (zone 3) opens')
  })
})

describe('An untruth', () => {
  const untruth = { subject: 'state 1', sentence: 'told as ALARM, and is DISARM for 20 s', at: 0 }
  const isSame = (changes: object) => isSameUntruth(untruth, { ...untruth, ...changes })

  it('is the same at another time, and not one that says something else of the same claim', () => {
    assert.ok(isSame({ at: minute, sentence: 'told as ALARM, and is DISARM for 150 s' }))
    assert.ok(!isSame({ sentence: 'told as ARMING, and is DISARM for 20 s' }))
    assert.ok(!isSame({ subject: 'state 2' }))
  })

  it('is the same of another instance, and of the only one', () => {
    const { subject, sentence } = untruth
    const ofInstance = (nth: number) => ({
      subject: `instance ${nth} ${subject}`,
      sentence: `instance ${nth}: ${sentence}`,
    })
    assert.ok(isSame(ofInstance(2)))
    assert.ok(!isSame({ ...ofInstance(2), subject: 'instance 2 state 2' }))
  })
})

describe('The life of a seed', () => {
  it('is the same one alone and after others, and another one for each seed and kind of houses', () => {
    const first = drawLife('houses', 5)
    const others = [drawLife('houses', 6), drawLife('large houses', 5)]
    assert.deepEqual(drawLife('houses', 5), first)
    for (const other of others) assert.notDeepEqual(other.steps, first.steps)
  })
})
