import assert from 'node:assert/strict'
import { live } from '../../../harness/simulation/live.ts'
import { drawLife } from '../../../harness/simulation/stories/drawn-life.ts'

describe('A life that is lived twice', () => {
  it('leaves the same messages, statuses, requests, log lines and files', async () => {
    const life = drawLife('houses', 3)
    const { record, untrue, times } = await live(life)
    const again = await live(life)
    assert.equal(again.record.differenceFrom(record), null)
    assert.deepEqual([again.untrue, again.times], [untrue, times])
    assert.ok(record.lines.length > 100, `only ${record.lines.length} lines are noted`)
  })

  it('leaves something else if the order of what happens at the same moment is another one', async () => {
    const life = drawLife('houses', 3)
    const [one, other] = [await live({ ...life, order: 1 }), await live({ ...life, order: 2 })]
    assert.notEqual(one.record.digest, other.record.digest)
  })
})
