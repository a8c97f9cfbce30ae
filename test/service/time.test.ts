import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isLocale } from '../../src/service/locale.ts'
import { isTimeZone, utcTime } from '../../src/service/time.ts'

describe('A time of the service', () => {
  const readings: [what: string, text: string, timeZone: string, utc: string | null][] = [
    [
      'without an offset is read in the zone',
      '2026-01-02 03:04:05',
      'Europe/Berlin',
      '2026-01-02T02:04:05.000Z',
    ],
    ['follows summer time', '2026-07-02 03:04:05', 'Europe/Berlin', '2026-07-02T01:04:05.000Z'],
    ['in UTC stays as it is', '2026-01-02 03:04:05', 'UTC', '2026-01-02T03:04:05.000Z'],
    ['may have a T', '2026-01-02T03:04:05', 'UTC', '2026-01-02T03:04:05.000Z'],
    ['may have a fraction', '2026-01-02 03:04:05.678901', 'UTC', '2026-01-02T03:04:05.678Z'],
    ['may lie in a zone of half hours', '2026-01-02 03:04:05', 'Asia/Kolkata', '2026-01-01T21:34:05.000Z'],
    [
      'may lie in a zone of quarter hours',
      '2026-01-02 03:04:05',
      'Asia/Kathmandu',
      '2026-01-01T21:19:05.000Z',
    ],
    ['may lie west by half an hour', '2026-01-02 03:04:05', 'America/St_Johns', '2026-01-02T06:34:05.000Z'],
    ['keeps its offset Z', '2026-01-02T03:04:05Z', 'Europe/Berlin', '2026-01-02T03:04:05.000Z'],
    ['keeps its offset with a colon', '2026-01-02T03:04:05+02:00', 'UTC', '2026-01-02T01:04:05.000Z'],
    ['keeps its offset without a colon', '2026-01-02T03:04:05+0200', 'UTC', '2026-01-02T01:04:05.000Z'],
    ['keeps its offset west of Greenwich', '2026-01-02T03:04:05-0330', 'UTC', '2026-01-02T06:34:05.000Z'],
    ['keeps its offset below an hour', '2026-01-02T03:04:05-00:30', 'UTC', '2026-01-02T03:34:05.000Z'],

    ['before the hour shown twice', '2026-10-25 01:59:59', 'Europe/Berlin', '2026-10-24T23:59:59.000Z'],
    ['shown twice means the first', '2026-10-25 02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['after the hour shown twice', '2026-10-25 03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['before the hour skipped', '2026-03-29 01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z'],
    [
      'skipped is read as before the change',
      '2026-03-29 02:30:00',
      'Europe/Berlin',
      '2026-03-29T01:30:00.000Z',
    ],
    ['after the hour skipped', '2026-03-29 03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],

    ['before the hour shown twice', '2026-11-01 00:59:59', 'America/New_York', '2026-11-01T04:59:59.000Z'],
    ['shown twice means the first', '2026-11-01 01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['after the hour shown twice', '2026-11-01 02:00:00', 'America/New_York', '2026-11-01T07:00:00.000Z'],
    [
      'skipped is read as before the change',
      '2026-03-08 02:30:00',
      'America/New_York',
      '2026-03-08T07:30:00.000Z',
    ],
    ['after the hour skipped', '2026-03-08 03:00:00', 'America/New_York', '2026-03-08T07:00:00.000Z'],

    ['shown twice means the first', '2026-04-05 01:45:00', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    [
      'after the half hour shown twice',
      '2026-04-05 02:00:00',
      'Australia/Lord_Howe',
      '2026-04-04T15:30:00.000Z',
    ],
    [
      'skipped is read as before the change',
      '2026-10-04 02:15:00',
      'Australia/Lord_Howe',
      '2026-10-03T15:45:00.000Z',
    ],
    ['after the half hour skipped', '2026-10-04 02:30:00', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],

    ['is none when empty', '', 'UTC', null],
    ['is none when zero', '0000-00-00 00:00:00', 'UTC', null],
    ['is none in month 13', '2026-13-01 00:00:00', 'UTC', null],
    ['is none on the 30th of February', '2026-02-30 00:00:00', 'UTC', null],
    ['is none at 24 hours', '2026-01-01 24:00:00', 'UTC', null],
    ['is none at 60 seconds', '2026-01-01 00:00:60', 'UTC', null],
    ['is none as a date alone', '2026-01-01', 'UTC', null],
    ['is none with an offset of 99 hours', '2026-01-01T00:00:00+9900', 'UTC', null],
    ['is none in words', 'yesterday', 'UTC', null],
    ['is none in a zone that does not exist', '2026-01-01 00:00:00', 'Europe/Atlantis', null],
    ['is none in a zone that JavaScript owns', '2026-01-01 00:00:00', '__proto__', null],
  ]
  for (const [what, text, timeZone, utc] of readings) {
    // @spec time-zone
    it(`${what}: '${text}' in ${timeZone}`, () => assert.equal(utcTime(text, timeZone), utc))
  }

  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'Pacific/Apia',
  ]
  const isoUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
  const digits = (low: number, high: number, width: number) =>
    fc.integer({ min: low, max: high }).map((number) => String(number).padStart(width, '0'))
  const timeLike = fc
    .tuple(
      digits(0, 9999, 4),
      digits(0, 13, 2),
      digits(0, 32, 2),
      fc.constantFrom(' ', 'T', ''),
      digits(0, 25, 2),
      digits(0, 61, 2),
      digits(0, 61, 2),
      fc.constantFrom('', '.5', '.123456789', '.'),
      fc.constantFrom('', 'Z', '+0200', '-23:59', '+5'),
    )
    .map(([year, month, date, gap, hour, minute, second, fraction, offset]) =>
      [`${year}-${month}-${date}`, gap, `${hour}:${minute}:${second}`, fraction, offset].join(''),
    )

  it('never throws, and gives null or a full ISO time', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), timeLike),
        fc.oneof(fc.constantFrom(...zones), fc.string()),
        (text, timeZone) => {
          const utc = utcTime(text, timeZone)
          if (utc === null) return
          assert.match(utc, isoUtc)
          assert.equal(new Date(utc).toISOString(), utc)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is the time that a clock in the zone shows', () => {
    const wallClock = (instant: Date, timeZone: string) =>
      instant.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    const since2000 = fc
      .integer({ min: 946_684_800, max: 2_208_988_800 })
      .map((second) => new Date(second * 1000))
    fc.assert(
      fc.property(since2000, fc.constantFrom(...zones), (instant, timeZone) => {
        const shown = wallClock(instant, timeZone)
        const utc = utcTime(shown, timeZone)
        assert.ok(utc !== null && Date.parse(utc) <= instant.getTime())
        assert.equal(wallClock(new Date(utc), timeZone), shown)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('A time zone setting', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata']) {
    it(`may be ${zone}`, () => assert.equal(isTimeZone(zone), true))
  }
  for (const zone of ['', 'Berlin', 'Europe/Atlantis', '+02:00', '__proto__', 'Europe/Berlin ']) {
    it(`may not be '${zone}'`, () => assert.equal(isTimeZone(zone), false))
  }
})

describe('A locale setting', () => {
  for (const locale of ['en_US', 'de_DE', 'nl_BE', 'he_IL', 'es_419']) {
    it(`may be ${locale}`, () => assert.equal(isLocale(locale), true))
  }
  for (const locale of [
    '',
    'en',
    'en-US',
    'EN_us',
    'xx_US',
    'en_QQ',
    'en_US.UTF-8',
    '__proto__',
    'en_US\n',
  ]) {
    it(`may not be ${JSON.stringify(locale)}`, () => assert.equal(isLocale(locale), false))
  }
})
