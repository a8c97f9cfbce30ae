import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { languages } from '../../harness/fixtures/locales.ts'
import { storyEventOf } from '../../harness/incidents/story-events.ts'
import { incidentMessage } from '../../src/messages/incident-message.ts'
import { type IncidentTexts, summaryOf, summaryParts } from '../../src/messages/incident-summary.ts'
import { bundled } from '../../src/panel/catalogue/event-catalogue.ts'
import { newBook, viewsOf, withEvents } from '../../src/panel/incidents/incident-book.ts'
import type { IncidentView } from '../../src/panel/incidents/incident-view.ts'
import type { StoryEvent } from '../../src/panel/incidents/story-event.ts'

/** Returns the texts of a language. */
function textsOf(language: string): IncidentTexts {
  const path = new URL(`../../nodes/locales/${language}/incident.json`, import.meta.url)
  const { summary } = JSON.parse(readFileSync(path, 'utf8')).incident
  return { language, text: (part) => summary[part] }
}

const start = new Date(2026, 10, 22, 3, 14, 5).getTime()
const at = (second: number, typeId: number, fields: Partial<StoryEvent> = {}) =>
  storyEventOf(typeId, start + 1000 * second, fields)
const user = (second: number, typeId: number, actor: string) =>
  at(second, typeId, { zone: 5, deviceType: 'USER', zoneName: '', actor })
const view = (...events: StoryEvent[]): IncidentView => {
  const book = withEvents(newBook(start), events, bundled, start + 3_600_000)
  return viewsOf(book, bundled, start + 3_600_000)[0] ?? assert.fail()
}
const english = (...events: StoryEvent[]) =>
  summaryOf(view(...events), textsOf('en-US')).replaceAll('\u202f', ' ')

const door = at(0, 3, { zone: 1, zoneName: 'Front door' })
const hall = at(15, 1, { zone: 2, zoneName: 'Hall' })

describe('The summary of an incident', () => {
  it('tells in one sentence what tripped first, what then, and who armed and disarmed', () => {
    assert.equal(
      english(user(-60, 86, 'Tom'), door, hall, user(300, 31, 'Anna')),
      'Burglary alarm on Nov 22, 2026, 3:14 AM: armed by Tom at 3:13:05 AM; first Front door at 3:14:05 AM, then Hall at 3:14:20 AM; disarmed by Anna at 3:19:05 AM; over at 3:19:05 AM.',
    )
  })

  it('tells what is not over', () => {
    assert.equal(
      english(user(-60, 86, 'Tom'), door, hall, at(20, 19, { zone: 2, zoneName: 'Hall' })),
      'Burglary alarm on Nov 22, 2026, 3:14 AM: armed by Tom at 3:13:05 AM; first Front door at 3:14:05 AM, then Hall at 3:14:20 AM; not restored: Front door; not over yet.',
    )
    assert.match(
      english(user(-60, 86, ''), door, at(9, 21, { zone: 1 })),
      /; all restored, but not over yet\.$/,
    )
  })

  it('names a zone without a name by its number, the control panel, and a threat', () => {
    assert.match(english(at(0, 2, { zone: 7, zoneName: '' })), /: zone 7 at /)
    assert.match(
      english(at(0, 9, { zone: 0, zoneName: '', deviceType: 'CONTROL_PANEL' })),
      /: control panel at /,
    )
    assert.match(english(door, user(5, 15, 'Anna')), /; code of Anna entered under threat at .*; /)
    assert.match(
      english(user(5, 15, 'Anna')),
      /^Duress alarm on .*: code of Anna entered under threat at .*; not over yet\.$/,
    )
  })

  it('tells the day of a time that is on another day', () => {
    assert.match(
      english(door, user(86_400, 31, '')),
      /; disarmed on Nov 23, 2026, 3:14:05 AM; over on Nov 23/,
    )
  })

  for (const language of languages) {
    it(`has all its parts in ${language}`, () => {
      const texts = textsOf(language)
      for (const part of summaryParts) assert.ok(texts.text(part), part)
      const all = [user(-60, 86, 'Tom'), door, hall, user(60, 15, 'Anna'), at(65, 19, { zone: 2 })]
      for (const events of [all, [door], [door, user(300, 31, 'Anna')], [user(5, 15, 'Eve')]]) {
        const sentence = summaryOf(view(...events), texts)
        assert.doesNotMatch(sentence, /__|undefined|null/)
        if (events.includes(door)) assert.match(sentence, /Front door/)
      }
    })
  }
})

describe('The message about an incident', () => {
  it('has a topic of its own, times in UTC, and a flag only if it may be a repeat', () => {
    const source = {
      name: 'Home',
      panel: { serial: 'A1', alias: '', online: true },
      fetchedAt: '2026-11-22T03:15:00.000Z',
      stale: false,
    }
    const incident = view(door, user(300, 31, 'Anna'))
    const message = incidentMessage({ incident, redelivered: false }, source, textsOf('en-US'))
    assert.deepEqual([message.topic, 'redelivered' in message], ['Home/incident', false])
    assert.equal(message.payload.since, new Date(start).toISOString())
    assert.deepEqual(message.payload.disarmedBy, {
      name: 'Anna',
      at: new Date(start + 300_000).toISOString(),
    })
    assert.deepEqual(
      message.payload.timeline.map(({ eventKey, zone, actor }) => [eventKey, zone, actor]),
      incident.timeline.map(({ key, zone, actor }) => [key, zone, actor]),
    )
    assert.equal(incidentMessage({ incident, redelivered: true }, source, textsOf('de')).redelivered, true)
  })
})
