import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Life, usualHouse } from '../../../harness/simulation/life.ts'
import { formatStory, parseStory, readStories } from '../../../harness/simulation/stories/kept-stories.ts'

const root = new URL('../../../', import.meta.url)

describe('A story that is kept', () => {
  const life: Life = {
    house: { ...usualHouse, moreDetectors: 3, panelOptions: { reports: 'none' } },
    steps: [
      { after: 0, deed: { what: 'panel clock', offset: 3_600_000, lasts: Number.POSITIVE_INFINITY } },
      { after: 90_000, deed: { what: 'disarm', person: 'Ben', partition: 2, isThreatened: true } },
    ],
  }

  it('has what its house differs in, and each step on a line', () => {
    assert.equal(
      formatStory({ title: 'an alarm is told', life }),
      `{
  "title": "an alarm is told",
  "house": { "moreDetectors": 3, "panelOptions": { "reports": "none" } },
  "steps": [
    { "after": 0, "what": "panel clock", "lasts": "for ever", "offset": 3600000 },
    { "after": 90000, "what": "disarm", "isThreatened": true, "partition": 2, "person": "Ben" }
  ]
}
`,
    )
  })

  it('is the same life when it is read again', () => {
    for (const one of [life, { ...life, order: 12 }]) {
      const story = { title: 'an alarm is told', life: one }
      assert.deepEqual(parseStory(formatStory(story)), story)
    }
  })

  it('has no field of a deed that has no value', () => {
    const fault = { what: 'service fault', fault: 'ok-empty', operation: undefined, lasts: 90_000 }
    const text = formatStory({
      title: 'an alarm is told',
      life: { house: usualHouse, steps: [{ after: 0, deed: fault as never }] },
    })
    assert.match(text, /\{ "after": 0, "what": "service fault", "fault": "ok-empty", "lasts": 90000 \}/)
  })

  it('is refused if it has a deed or a field of its house that no life has', () => {
    const text = formatStory({ title: 'an alarm is told', life })
    assert.throws(() => parseStory(text.replace('disarm', 'disarmed')), /No life has a deed "disarmed"/)
    assert.throws(() => parseStory(text.replace('moreDetectors', 'detectors')), /a field "detectors"/)
  })

  it('is written as a run would write it, under a title of its own', () => {
    const stories = [...readStories()]
    assert.ok(stories.length >= 18)
    for (const [path, story] of stories)
      assert.equal(readFileSync(new URL(path, root), 'utf8'), formatStory(story), path)
    assert.equal(new Set(stories.map(([, { title }]) => title)).size, stories.length)
  })
})
