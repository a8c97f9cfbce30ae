import assert from 'node:assert/strict'
import { catalogue, languages } from '../../harness/fixtures/locales.ts'
import {
  type ConditionTexts,
  conditionParts,
  conditionsMessage,
  textOfCondition,
} from '../../src/messages/conditions-message.ts'
import { conditionTexts, type PanelCondition } from '../../src/panel/conditions/condition.ts'

/** Returns the texts of a language, and in English those that it lacks. */
function textsOf(language: string): ConditionTexts {
  const texts = new Map([...catalogue('en-US', 'conditions'), ...catalogue(language, 'conditions')])
  return { language, text: (part) => texts.get(`conditions.text.${part}`) ?? '' }
}

const since = new Date(2026, 10, 22, 3, 14, 5).getTime()
const condition = (fields: Partial<PanelCondition> = {}): PanelCondition => ({
  id: 'open ZONE 1',
  kind: 'open',
  zone: 1,
  name: 'Front door',
  since,
  eventKey: null,
  says: 'open',
  what: '',
  at: null,
  isQuiet: false,
  shownBy: ['devices'],
  ...fields,
})
const english = (fields: Partial<PanelCondition>) =>
  textOfCondition(condition(fields), textsOf('en-US')).replaceAll('\u202f', ' ')

describe('The text of a condition', () => {
  it('says what it is, where, and since when', () => {
    assert.equal(english({}), 'Front door has been open since Nov 22, 2026, 3:14 AM.')
    assert.equal(
      english({ says: 'trouble', what: 'AC Fail' }),
      'Front door: AC Fail, since Nov 22, 2026, 3:14 AM.',
    )
  })

  it('names a zone without a name by its number, and the control panel', () => {
    assert.match(english({ name: '', zone: 7 }), /^zone 7 has been open/)
    assert.match(english({ name: '', zone: 0, says: 'tamper' }), /^Tamper: control panel,/)
  })

  it('tells the time of the inspection, the backup, the test or the end of the license', () => {
    const at = new Date(2025, 0, 2, 3, 4).getTime()
    assert.equal(english({ says: 'backup', at }), 'No backup since Jan 2, 2025, 3:04 AM.')
  })

  for (const language of languages) {
    it(`has all its parts in ${language}`, () => {
      const texts = textsOf(language)
      for (const part of conditionParts) assert.ok(texts.text(part), part)
      const sentences = conditionTexts.map((says) =>
        textOfCondition(condition({ says, what: 'AC Fail' }), texts),
      )
      for (const sentence of sentences) assert.doesNotMatch(sentence, /__|undefined|null/)
      assert.equal(new Set(sentences).size, sentences.length)
    })
  }
})

describe('The message with the conditions', () => {
  const source = {
    name: 'Home',
    panel: { serial: 'A1', alias: '', online: true },
    fetchedAt: '2026-11-22T03:15:00.000Z',
    stale: false,
  }
  const messageOf = (isReminder: boolean, redelivered: boolean) =>
    conditionsMessage(
      { conditions: [condition({ name: '' })], isReminder, redelivered },
      source,
      textsOf('de'),
    )

  it('has a topic of its own, times in UTC, and flags only if they are true', () => {
    const { topic, payload, ...others } = messageOf(false, false)
    assert.equal(topic, 'Home/conditions')
    const [{ text, ...told } = assert.fail()] = payload
    const time = new Date(since).toISOString()
    assert.deepEqual(told, { kind: 'open', zone: 1, name: 'Zone 1', since: time, eventKey: null })
    assert.match(text, /^Zone 1 ist seit .* offen/)
    assert.deepEqual(Object.keys(others).toSorted(), ['fetchedAt', 'panel', 'stale'])
    const flagged = messageOf(true, true)
    assert.deepEqual([flagged.reminder, flagged.redelivered], [true, true])
  })
})
