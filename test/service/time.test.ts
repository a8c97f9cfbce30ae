import assert from 'node:assert/strict'
import fc from 'fast-check'
import { repetitions } from '../../harness/mocha/depth.ts'
import { isLocale } from '../../src/service/locale.ts'
import { isTimeZone, utcTime } from '../../src/service/time.ts'

describe('A time of the service', () => {
  const readings: [what: string, text: string, timeZone: string, utc: string | null][] = [
    [
      'without an offset is read in the time zone',
      '2026-01-02 03:04:05',
      'Europe/Berlin',
      '2026-01-02T02:04:05.000Z',
    ],
    ['is read with daylight saving time', '2026-07-02 03:04:05', 'Europe/Berlin', '2026-07-02T01:04:05.000Z'],
    ['in UTC is unchanged', '2026-01-02 03:04:05', 'UTC', '2026-01-02T03:04:05.000Z'],
    ['can have a T', '2026-01-02T03:04:05', 'UTC', '2026-01-02T03:04:05.000Z'],
    ['can have a fraction of a second', '2026-01-02 03:04:05.678901', 'UTC', '2026-01-02T03:04:05.678Z'],
    [
      'can be in a zone with an offset of half hours',
      '2026-01-02 03:04:05',
      'Asia/Kolkata',
      '2026-01-01T21:34:05.000Z',
    ],
    [
      'can be in a zone with an offset of quarter hours',
      '2026-01-02 03:04:05',
      'Asia/Kathmandu',
      '2026-01-01T21:19:05.000Z',
    ],
    [
      'can be in a western zone with an offset of half hours',
      '2026-01-02 03:04:05',
      'America/St_Johns',
      '2026-01-02T06:34:05.000Z',
    ],
    [
      'with the offset Z ignores the time zone',
      '2026-01-02T03:04:05Z',
      'Europe/Berlin',
      '2026-01-02T03:04:05.000Z',
    ],
    [
      'with an offset with a colon ignores the time zone',
      '2026-01-02T03:04:05+02:00',
      'UTC',
      '2026-01-02T01:04:05.000Z',
    ],
    [
      'with an offset without a colon ignores the time zone',
      '2026-01-02T03:04:05+0200',
      'UTC',
      '2026-01-02T01:04:05.000Z',
    ],
    [
      'with an offset west of Greenwich ignores the time zone',
      '2026-01-02T03:04:05-0330',
      'UTC',
      '2026-01-02T06:34:05.000Z',
    ],
    [
      'with an offset below an hour ignores the time zone',
      '2026-01-02T03:04:05-00:30',
      'UTC',
      '2026-01-02T03:34:05.000Z',
    ],

    [
      'before a repeated hour has the summer offset',
      '2026-10-25 01:59:59',
      'Europe/Berlin',
      '2026-10-24T23:59:59.000Z',
    ],
    [
      'in a repeated hour means the first occurrence',
      '2026-10-25 02:30:00',
      'Europe/Berlin',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'after a repeated hour has the winter offset',
      '2026-10-25 03:00:00',
      'Europe/Berlin',
      '2026-10-25T02:00:00.000Z',
    ],
    [
      'before a skipped hour has the winter offset',
      '2026-03-29 01:59:59',
      'Europe/Berlin',
      '2026-03-29T00:59:59.000Z',
    ],
    [
      'in a skipped hour is read with the offset before the change',
      '2026-03-29 02:30:00',
      'Europe/Berlin',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'after a skipped hour has the summer offset',
      '2026-03-29 03:00:00',
      'Europe/Berlin',
      '2026-03-29T01:00:00.000Z',
    ],

    [
      'before a repeated hour has the summer offset',
      '2026-11-01 00:59:59',
      'America/New_York',
      '2026-11-01T04:59:59.000Z',
    ],
    [
      'in a repeated hour means the first occurrence',
      '2026-11-01 01:30:00',
      'America/New_York',
      '2026-11-01T05:30:00.000Z',
    ],
    [
      'after a repeated hour has the winter offset',
      '2026-11-01 02:00:00',
      'America/New_York',
      '2026-11-01T07:00:00.000Z',
    ],
    [
      'in a skipped hour is read with the offset before the change',
      '2026-03-08 02:30:00',
      'America/New_York',
      '2026-03-08T07:30:00.000Z',
    ],
    [
      'after a skipped hour has the summer offset',
      '2026-03-08 03:00:00',
      'America/New_York',
      '2026-03-08T07:00:00.000Z',
    ],

    [
      'in a repeated half hour means the first occurrence',
      '2026-04-05 01:45:00',
      'Australia/Lord_Howe',
      '2026-04-04T14:45:00.000Z',
    ],
    [
      'after a repeated half hour has the winter offset',
      '2026-04-05 02:00:00',
      'Australia/Lord_Howe',
      '2026-04-04T15:30:00.000Z',
    ],
    [
      'in a skipped half hour is read with the offset before the change',
      '2026-10-04 02:15:00',
      'Australia/Lord_Howe',
      '2026-10-03T15:45:00.000Z',
    ],
    [
      'after a skipped half hour has the summer offset',
      '2026-10-04 02:30:00',
      'Australia/Lord_Howe',
      '2026-10-03T15:30:00.000Z',
    ],

    ['is null if it is empty', '', 'UTC', null],
    ['is null if it is zero', '0000-00-00 00:00:00', 'UTC', null],
    ['is null in month 13', '2026-13-01 00:00:00', 'UTC', null],
    ['is null on February 30', '2026-02-30 00:00:00', 'UTC', null],
    ['is null at 24 hours', '2026-01-01 24:00:00', 'UTC', null],
    ['is null at 60 seconds', '2026-01-01 00:00:60', 'UTC', null],
    ['is null without a time of day', '2026-01-01', 'UTC', null],
    ['is null with an offset of 99 hours', '2026-01-01T00:00:00+9900', 'UTC', null],
    ['is null in words', 'yesterday', 'UTC', null],
    ['is null in a time zone that does not exist', '2026-01-01 00:00:00', 'Europe/Atlantis', null],
    ['is null in a time zone named like a built-in property', '2026-01-01 00:00:00', '__proto__', null],
  ]
  for (const [what, text, timeZone, utc] of readings) {
    // @spec time-zone
    it(`${what}: '${text}' in ${timeZone}`, () => assert.equal(utcTime(text, timeZone), utc))
  }

  // @spec time-zone
  it('in a repeated hour means the second occurrence on request, and no other time changes', () => {
    const second = (text: string, timeZone: string) => utcTime(text, timeZone, true)
    assert.equal(second('2026-10-25 02:30:00', 'Europe/Berlin'), '2026-10-25T01:30:00.000Z')
    assert.equal(second('2026-04-05 01:45:00', 'Australia/Lord_Howe'), '2026-04-04T15:15:00.000Z')
    for (const text of [
      '2026-10-25 01:59:59',
      '2026-10-25 03:00:00',
      '2026-03-29 02:30:00',
      '2026-07-02 03:04:05',
    ])
      assert.equal(second(text, 'Europe/Berlin'), utcTime(text, 'Europe/Berlin'))
  })

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

  it('is null or a full ISO time for any text, and reading never throws', () => {
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
      { numRuns: repetitions(2000, 500) },
    )
  })

  it('is the instant at which a clock in the time zone shows it', () => {
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
      { numRuns: repetitions(1000, 300) },
    )
  })
})

describe('A time zone setting', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata']) {
    it(`accepts ${zone}`, () => assert.equal(isTimeZone(zone), true))
  }
  for (const zone of ['', 'Berlin', 'Europe/Atlantis', '+02:00', '__proto__', 'Europe/Berlin ']) {
    it(`rejects '${zone}'`, () => assert.equal(isTimeZone(zone), false))
  }
})

describe('A locale setting', () => {
  for (const locale of ['en_US', 'de_DE', 'nl_BE', 'he_IL', 'es_419']) {
    it(`accepts ${locale}`, () => assert.equal(isLocale(locale), true))
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
    it(`rejects ${JSON.stringify(locale)}`, () => assert.equal(isLocale(locale), false))
  }
})
