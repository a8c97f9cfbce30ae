import assert from 'node:assert/strict'
import { LifeRecord } from '../../../harness/simulation/life-record.ts'
import { live } from '../../../harness/simulation/live.ts'
import { drawLife } from '../../../harness/simulation/stories/drawn-life.ts'

function recordOf(...payloads: string[]): LifeRecord {
  const record = new LifeRecord()
  for (const payload of payloads) record.note(10, 'state', { payload })
  return record
}

describe('The record of a life', () => {
  it('is equal, with its digest, if the same was told in the same order', () => {
    const [one, same, other] = [recordOf('AWAY', 'HOME'), recordOf('AWAY', 'HOME'), recordOf('HOME', 'AWAY')]
    assert.equal(one.differenceFrom(same), null)
    assert.equal(one.digest, same.digest)
    assert.notEqual(one.digest, other.digest)
  })

  it('names the first line that differs, also one that only one of two records has', () => {
    const one = recordOf('AWAY', 'HOME')
    assert.deepEqual(one.differenceFrom(recordOf('AWAY', 'DISARM')), {
      line: 2,
      mine: '10 state {"payload":"HOME"}',
      others: '10 state {"payload":"DISARM"}',
    })
    assert.equal(one.differenceFrom(recordOf('AWAY'))?.others, 'nothing')
  })

  it('is the same each time that a process lives a life, with all that nodes tell and request', async () => {
    const { house, ...rest } = drawLife('houses with Home Assistant', 1)
    const life = { ...rest, house: { ...house, instances: 1 } }
    const [first, again] = [await live(life), await live(life)]
    assert.equal(first.record.differenceFrom(again.record), null)
    for (const line of [/^\d+ GET \S+\/status/, /^\d+ state \{/, /^\d+ status of home \{/])
      assert.ok(
        first.record.lines.some((one) => line.test(one)),
        `${line}`,
      )
  })
})
