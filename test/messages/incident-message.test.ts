import assert from 'node:assert/strict'
import { catalogue, languages } from '../../harness/fixtures/locales.ts'
import { storyEventOf } from '../../harness/incidents/story-events.ts'
import {
  type IncidentTexts,
  incidentMessage,
  summaryOf,
  summaryParts,
  titleOf,
} from '../../src/messages/incident-message.ts'
import { type IncidentBook, newBook, viewsOf, withEvents } from '../../src/panel/incidents/incident-book.ts'
import { withContact } from '../../src/panel/incidents/incident-state.ts'
import type { IncidentView } from '../../src/panel/incidents/incident-view.ts'
import type { StoryEvent } from '../../src/panel/incidents/story-event.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'

/** Returns the texts of a language, and in English those that it lacks. */
function textsOf(language: string): IncidentTexts {
  const texts = new Map([...catalogue('en-US', 'incident'), ...catalogue(language, 'incident')])
  return { language, text: (part) => texts.get(`incident.summary.${part}`) ?? '' }
}

const start = new Date(2026, 10, 22, 3, 14, 5).getTime()
const later = start + 3_600_000
const at = (second: number, typeId: number, fields: Partial<StoryEvent> = {}) =>
  storyEventOf(typeId, start + 1000 * second, fields)
const user = (second: number, typeId: number, actor: string) =>
  at(second, typeId, { zone: 5, deviceType: 'USER', zoneName: '', actor })
const bookOf = (...events: StoryEvent[]) => withEvents(newBook(start), events, bundled, later)
const viewIn = (book: IncidentBook, now = later): IncidentView =>
  viewsOf(book, bundled, now)[0] ?? assert.fail('there is no incident')
const view = (...events: StoryEvent[]) => viewIn(bookOf(...events))
const contact = (book: IncidentBook, second: number, online: boolean) =>
  withContact(book, { online, partitions: [{ active: true, value: 'AWAY' }] }, bundled, start + 1000 * second)
const said = (one: IncidentView, language = 'en-US', now = later, timeZone?: string) =>
  summaryOf(one, textsOf(language), { now, timeZone }).replaceAll('\u202f', ' ')
const english = (...events: StoryEvent[]) => said(view(...events))
const title = (one: IncidentView, language = 'en-US') => titleOf(one, 'Home', textsOf(language))

const door = at(0, 3, { zone: 1, zoneName: 'Front door' })
const hall = at(75, 1, { zone: 2, zoneName: 'Hall' })
const tom = user(-60, 86, 'Tom')

describe('The summary of an incident', () => {
  it('begins with the places in their order, then how it stands, and who armed last', () => {
    assert.equal(english(tom, door, hall), '3:14 AM, then Hall 3:15 AM. Not over. Armed by Tom 3:13 AM.')
    assert.equal(
      english(tom, door, hall, user(300, 31, 'Anna')),
      '3:14 AM, then Hall 3:15 AM. Over 3:19 AM, disarmed by Anna. Armed by Tom 3:13 AM.',
    )
    assert.equal(english(door, user(300, 31, '')), '3:14 AM. Over 3:19 AM, disarmed.')
    const box = { zone: 2, zoneName: 'Box' }
    assert.equal(english(at(0, 9, box), at(60, 27, box)), '3:14 AM. Over 3:15 AM.')
  })

  // @spec swinger-stop
  it('names the zones that the panel has left out until the disarm', () => {
    const leftOut = { ...view(door, hall), leftOut: [2] }
    assert.equal(
      said(leftOut),
      '3:14 AM, then Hall 3:15 AM. Not over. Left out by the panel until the disarm: Hall.',
    )
  })

  it('tells what is not over', () => {
    assert.equal(
      english(tom, door, hall, at(80, 19, { zone: 2, zoneName: 'Hall' })),
      '3:14 AM, then Hall 3:15 AM. Not over. Not restored: Front door. Armed by Tom 3:13 AM.',
    )
    assert.equal(english(user(-60, 86, ''), door, at(9, 21, { zone: 1 })), '3:14 AM. All restored, not over.')
    const fire = at(0, 36, { zoneName: 'Cellar' })
    const book = { ...bookOf(fire, user(60, 31, 'Anna')) }
    const listed = { ...book, incidents: book.incidents.map((one) => ({ ...one, isListed: true })) }
    assert.equal(said(viewIn(listed)), '3:14 AM. Not over. Disarmed by Anna 3:15 AM.')
  })

  it('names a zone without a name by its number, and the control panel', () => {
    const seventh = at(5, 2, { zone: 7, zoneName: '' })
    const box = at(9, 9, { zone: 0, zoneName: '', deviceType: 'CONTROL_PANEL' })
    assert.match(english(door, seventh, box), /^3:14 AM, then Zone 7 3:14 AM, then Control panel 3:14 AM\. /)
  })

  it('names the first place only if the title does not, or not in full', () => {
    const kitchen = at(10, 36, { zone: 9, zoneName: 'Kitchen' })
    assert.match(english(door, kitchen), /^Front door 3:14 AM, then Kitchen 3:14 AM\. Not over\./)
    const long = 'Window of the smallest of all rooms below the roof of the house'
    assert.match(english(at(0, 3, { zoneName: long })), new RegExp(`^${long} 3:14 AM\\. `))
  })

  it('begins with the time of an alarm that only a state has told', () => {
    const one = { ...view(door), kind: 'alarm' as const, place: null, zones: [], confirmed: false }
    assert.equal(said(one), '3:14 AM. Not over. Not reported by the panel yet.')
  })

  it('is one line without control characters, whatever the names are', () => {
    assert.match(
      english(door, at(9, 3, { zone: 2, zoneName: 'Back\ndoor\u0000' })),
      /, then Back door {2}3:14 AM\. /,
    )
  })

  it('tells that the contact with the panel is lost, and from when to when it was', () => {
    const lost = contact(bookOf(tom, door), 120, false)
    assert.equal(
      said(viewIn(lost)),
      '3:14 AM. Not over. No contact with the panel since 3:16 AM. Armed by Tom 3:13 AM.',
    )
    assert.match(
      said(viewIn(contact(lost, 240, true))),
      / No contact with the panel from 3:16 AM to 3:18 AM\. /,
    )
    assert.equal(
      said(viewIn(contact(bookOf(tom), 120, false))),
      'No contact with the panel since 3:16 AM. Armed by Tom 3:13 AM.',
    )
  })

  it('has a day only with a time that is neither of today nor of the day of the time before', () => {
    const day = 86_400_000
    const over = user(86_400, 31, 'Anna')
    const burglary = view(tom, door, over)
    assert.equal(
      said(burglary, 'en-US', start + day),
      'Nov 22, 3:14 AM. Over 3:14 AM, disarmed by Anna. Armed by Tom Nov 22, 3:13 AM.',
    )
    assert.equal(
      said(burglary, 'en-US', start + 3 * day),
      'Nov 22, 3:14 AM. Over Nov 23, 3:14 AM, disarmed by Anna. Armed by Tom Nov 22, 3:13 AM.',
    )
    assert.match(said(view(tom, door), 'de', start + day), /^22\. Nov\., 03:14\. .* von Tom, 03:13\.$/)
  })

  it('has the times and the days of the given time zone', () => {
    const one = view(at(0, 3, { time: Date.parse('2026-11-22T23:30:00Z'), zoneName: 'Hall' }))
    const now = Date.parse('2026-11-22T23:40:00Z')
    assert.match(said(one, 'de', now, 'Europe/Berlin'), /^00:30\. /)
    assert.match(said(one, 'de', now + 86_400_000, 'Europe/London'), /^22\. Nov\., 23:30\. /)
  })
})

describe('The title of an incident', () => {
  it('is its kind and the place of that kind', () => {
    assert.equal(title(view(door, hall)), 'Burglary: Front door')
    assert.equal(title(view(door, at(10, 36, { zone: 9, zoneName: 'Kitchen' }))), 'Fire: Kitchen')
    assert.equal(title(view(user(0, 5, 'Chiara'))), 'Panic: Chiara')
    assert.equal(title(view(door), 'de'), 'Einbruch: Front door')
    assert.equal(title(viewIn(contact(bookOf(tom), 120, false))), 'Contact lost: Home')
  })

  it('says if it is over, but not of a duress, which is never told as over', () => {
    const over = user(300, 31, 'Anna')
    assert.equal(title(view(door, over)), 'Over: Burglary, Front door')
    assert.equal(title(view(door, over), 'de'), 'Vorbei: Einbruch, Front door')
    assert.equal(title({ ...view(user(60, 15, 'Anna')), status: 'closed' }), 'Disarmed')
  })

  it('has at most 60 characters, cut after a word and never within a character', () => {
    for (const name of ['long '.repeat(30), '😀'.repeat(70), `a${'😀'.repeat(70)}`, 'x'.repeat(200)]) {
      for (const language of languages) {
        for (const end of [[], [user(300, 31, 'Anna')]]) {
          const text = title(view(at(0, 3, { zoneName: name }), ...end), language)
          assert.ok(text.length <= 60 && text.length > 30, text)
          assert.equal(Buffer.from(text).toString(), text, 'half a character')
          assert.match(text, /…$/)
        }
      }
    }
    assert.equal(
      title(view(at(0, 3, { zoneName: 'Window of the smallest of all rooms below the roof of the house' }))),
      'Burglary: Window of the smallest of all rooms below the…',
    )
  })
})

describe('A duress', () => {
  const anna = user(60, 15, 'Anna')
  const disarm = user(60, 89, 'Anna')

  for (const language of languages) {
    it(`reads like an ordinary disarm in ${language}`, () => {
      const texts = (one: IncidentView) => [title(one, language), said(one, language)]
      for (const before of [[tom, door, hall], [door]])
        assert.deepEqual(texts(view(...before, anna)), texts(view(...before, disarm)))
      const [alone, summary] = texts(view(tom, anna))
      assert.ok(alone && summary?.includes('Anna') && summary.includes('Tom'), summary)
    })
  }

  it('alone is titled as a disarm', () => {
    assert.deepEqual([title(view(anna)), said(view(anna))], ['Disarmed', 'Disarmed by Anna 3:15 AM.'])
    assert.equal(said(view(user(60, 15, ''))), 'Disarmed 3:15 AM.')
  })
})

for (const language of languages) {
  describe(`The texts of incidents in ${language}`, () => {
    it('are complete', () => {
      const texts = textsOf(language)
      for (const part of summaryParts) assert.ok(texts.text(part), part)
      const all = [tom, door, hall, user(90, 15, 'Anna'), at(95, 19, { zone: 2 })]
      const books = [
        all,
        [door],
        [door, user(300, 31, 'Anna')],
        [door, user(300, 31, '')],
        [user(5, 15, 'Eve')],
      ]
        .map((events) => bookOf(...events))
        .flatMap((book) => [book, contact(book, 400, false), contact(contact(book, 400, false), 460, true)])
      for (const one of books.map((book) => viewIn(book))) {
        for (const now of [later, later + 864_000_000]) {
          const sentences = `${title(one, language)} ${said(one, language, now)}`
          assert.doesNotMatch(sentences, /__|undefined|null/)
          if (one.zones.length > 0) assert.match(sentences, /Front door/)
          if (one.zones.length === 1) assert.doesNotMatch(sentences, /Front door.*Front door/)
        }
      }
    })
  })
}

describe('The message about an incident', () => {
  it('has a topic of its own, times in UTC, and flags only where they are true', () => {
    const source = {
      name: 'Home',
      panel: { serial: 'A1', alias: '', online: true },
      fetchedAt: '2026-11-22T03:15:00.000Z',
      stale: false,
    }
    const incident = view(door, user(300, 31, 'Anna'))
    const moment = { now: later, timeZone: undefined }
    const due = { incident, news: 'over', late: false, redelivered: false } as const
    const message = incidentMessage(due, source, textsOf('en-US'), moment)
    assert.deepEqual(
      [message.topic, 'redelivered' in message, 'late' in message],
      ['Home/incident', false, false],
    )
    assert.equal(message.payload.since, new Date(start).toISOString())
    assert.deepEqual([message.payload.title, message.payload.news], ['Over: Burglary, Front door', 'over'])
    assert.deepEqual(message.payload.disarmedBy, {
      name: 'Anna',
      at: new Date(start + 300_000).toISOString(),
    })
    assert.deepEqual(
      message.payload.timeline.map(({ eventKey, zone, actor }) => [eventKey, zone, actor]),
      incident.timeline.map(({ key, zone, actor }) => [key, zone, actor]),
    )
    const flagged = incidentMessage({ ...due, late: true, redelivered: true }, source, textsOf('de'), moment)
    assert.deepEqual([flagged.redelivered, flagged.late], [true, true])
  })
})
