import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { alarm, parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape, nullable, type Shape } from '../../../harness/fixtures/shape.ts'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { alarms, alerts, troubles } from '../../../src/service/responses/alarms.ts'
import { locations } from '../../../src/service/responses/devices.ts'
import { standardLog } from '../../../src/service/responses/events.ts'
import { configurationList, rriResults } from '../../../src/service/responses/maintenance.ts'
import {
  type Customization,
  customization,
  panels,
  type Theme,
} from '../../../src/service/responses/panels.ts'
import { processStatus } from '../../../src/service/responses/process-status.ts'
import { users } from '../../../src/service/responses/users.ts'
import { type Check, parse } from '../../../src/service/schema.ts'
import { utcTime } from '../../../src/service/time.ts'

/** The fields that the service gives in one kind of answer, those that are read, and those that are dropped. */
interface Answers<T> {
  shape: Shape
  /** An answer with all known fields. */
  whole: T
  /** Other answers, each with what is read of it and how many entries are dropped. */
  answers: [given: unknown, read: NoInfer<T>, dropped?: number][]
  /** Answers that are refused, beside those that are no list or no object, as the whole one is. */
  refused?: unknown[]
  /** The fields without which an answer is refused. */
  least?: object
}

/** Tests an answer that is copied field by field. */
function testCopying<T>(title: string, check: Check<T>, given: Answers<T>): void {
  const { shape, whole, answers, refused = [], least = {} } = given
  const isList = Array.isArray(whole)

  describe(title, () => {
    it('is copied with the known fields only, in the order of the service', () => {
      assert.deepEqual(parseValid(check, withMore(whole)), whole)
    })

    it('is read where fields or entries are missing, null, unknown or of another type, and counts what it drops', () => {
      for (const [answer, value, dropped = 0] of answers)
        assert.deepEqual(parse(check, answer), { value, dropped })
    })

    it('is refused if it is of another kind or lacks what it needs', () => {
      for (const answer of [null, 'x', 1, isList ? {} : [], ...refused])
        assert.equal(parse(check, answer), undefined, JSON.stringify(answer))
    })

    it('has its declared shape for any JSON, and parsing never throws', () => {
      const any = anyJson(namesIn(whole))
      const anyAnswer = isList
        ? fc.array(any)
        : fc.dictionary(fc.constantFrom(...Object.keys(whole as object)), any)
      fc.assert(
        fc.property(anyAnswer, (answer) => {
          assertShape(parseValid(check, isList ? answer : { ...answer, ...least }), shape)
        }),
        { numRuns: repetitions(100, 10) },
      )
    })
  })
}

/** Returns a copy of JSON in which each object has another member. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, withMore(member)])
  return { ...Object.fromEntries(members), user_code: '0451' }
}

/** Returns the names of all members in JSON. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...new Set([...own, ...Object.values(value).flatMap(namesIn)])]
}

const alarmShape = {
  device_type: 'string',
  datetime: 'string',
  has_video: 'boolean',
  evt_id: 'number?',
  location: 'string',
  partitions: ['number'],
  zone: 'number?',
  zone_name: 'string',
  zone_type: 'string',
} as const
const { alarm_type, ...alarmDetails } = alarm({ partitions: [1, 2] })
const noDetails = {
  device_type: '',
  datetime: '',
  has_video: false,
  evt_id: null,
  location: '',
  partitions: [],
  zone: null,
  zone_name: '',
  zone_type: '',
}
const nulls = Object.fromEntries(Object.keys(noDetails).map((name) => [name, null]))

testCopying('The list of alarms', alarms, {
  shape: [{ alarm_type: 'string', ...alarmShape }],
  whole: [{ alarm_type, ...alarmDetails }],
  answers: [
    [[{}, nulls], Array(2).fill({ alarm_type: '', ...noDetails })],
    [[{ alarm_type: 'MONSTER' }], [{ alarm_type: 'MONSTER', ...noDetails }]],
    [['ALARM', null], [], 2],
    [[{ partitions: [1, null, 3] }], [{ alarm_type: '', ...noDetails, partitions: [1, 3] }], 1],
  ],
})

testCopying('The list of alerts', alerts, {
  shape: [{ alert_type: 'string', ...alarmShape }],
  whole: [{ alert_type: 'FLOOD', ...alarmDetails }],
  answers: [
    [[{ alert_type: 'BORED' }], [{ alert_type: 'BORED', ...noDetails }]],
    [[null, 'x'], [], 2],
  ],
})

const backup = {
  id: 12,
  date: '2026-01-02T03:04:05+0200',
  verified_at: '2026-01-02T03:05:06+0200',
  backup: true,
}

// @spec 2.14
testCopying('The list of configurations', configurationList, {
  shape: [{ id: 'number', date: 'string', verified_at: 'string', backup: 'boolean?' }],
  whole: [backup],
  answers: [
    [[{ id: 12, verified_at: null }], [{ id: 12, date: '', verified_at: '', backup: null }]],
    [[{}, null, { id: 'x' }], [], 3],
  ],
})

describe('The date of a configuration', () => {
  it('has an offset of its own', () => {
    const [checked] = parseValid(configurationList, [backup])
    assert.equal(checked && utcTime(checked.date, 'UTC'), '2026-01-02T01:04:05.000Z')
  })
})

const noCustomization = { name: '', is_default: false, created: null, changed: null, data: null }
const givenThemes = (themes: unknown) => ({ id: 3, data: { customization: { themes } } })
const readThemes = (themes: Theme[]): Customization => ({
  ...{ id: 3, ...noCustomization },
  data: { apptype: '', android: '', ios: '', customization: { themes } },
})

// @spec 2.3, customization-times
testCopying('A customization', customization, {
  shape: {
    id: 'number',
    name: 'string',
    is_default: 'boolean',
    created: 'number?',
    changed: 'number?',
    data: nullable({
      apptype: 'string',
      android: 'string',
      ios: 'string',
      customization: nullable({
        themes: [
          {
            name: 'string',
            brightness: 'string',
            colors: nullable({ primary: 'string', gradient: ['string'] }),
          },
        ],
      }),
    }),
  },
  whole: {
    id: 3,
    name: 'Provider',
    is_default: true,
    created: 1700000000,
    changed: 1700000001,
    data: {
      apptype: '',
      android: 'https://play.example/app',
      ios: 'https://apps.example/app',
      customization: {
        themes: [
          {
            name: 'day',
            brightness: 'light',
            colors: { primary: '#1F6F8B', gradient: ['#1F6F8B', '#3A8FAD', '#99C4D3'] },
          },
        ],
      },
    },
  },
  answers: [
    [{ id: 3 }, { id: 3, ...noCustomization }],
    [
      givenThemes([{ name: 'dusk', brightness: 'dim' }]),
      readThemes([{ name: 'dusk', brightness: 'dim', colors: null }]),
    ],
    [givenThemes([{}, 7]), readThemes([]), 2],
  ],
  refused: [{}, { id: 'x' }],
  least: { id: 3 },
})

testCopying('The list of locations', locations, {
  shape: [{ hel_id: 'number', name: 'string', is_editable: 'boolean?' }],
  whole: [{ hel_id: 4, name: 'Hall', is_editable: true }],
  answers: [
    [[{ hel_id: 4 }], [{ hel_id: 4, name: '', is_editable: null }]],
    [[{ name: 'Hall' }, null], [], 2],
  ],
})

const barePanel = { panel_serial: 'A', alias: '', role: '', customization: null, panel_model: '', type: '' }

// @spec 2.4, panel-fields
testCopying('The list of panels', panels, {
  shape: [
    {
      panel_serial: 'string',
      alias: 'string',
      role: 'string',
      customization: nullable((value) => assert.ok(value instanceof Object && 'id' in value)),
      panel_model: 'string',
      type: 'string',
    },
  ],
  whole: [
    {
      panel_serial: '00C0DE',
      alias: 'Home',
      role: 'MASTER_USER',
      customization: { ...noCustomization, id: 1, name: 'Provider' },
      panel_model: '360R',
      type: 'POWER_MASTER',
    },
  ],
  answers: [
    [[{ panel_serial: 'A', alias: null }], [barePanel]],
    [[{ panel_serial: 'A', role: 'JANITOR' }], [{ ...barePanel, role: 'JANITOR' }]],
    [[{ panel_serial: 123456 }], [{ ...barePanel, panel_serial: '123456' }]],
    [[null, { alias: 'Home' }, 7, []], [], 4],
  ],
})

testCopying('The list of command statuses', processStatus, {
  shape: [{ token: 'string', status: 'string', message: 'string', error: 'string' }],
  whole: [
    { token: 't-1', status: 'failed', message: 'Replaced', error: 'PMAX_ERROR' },
    { token: 't-2', status: 'start', message: '', error: '' },
  ],
  answers: [
    [
      [{ token: 't', status: 'pondering', error: null }],
      [{ token: 't', status: 'pondering', message: '', error: '' }],
    ],
    [[{ status: 'start' }, null], [], 2],
  ],
})

const noDetail = { detail_name: '', description: '', timestamp: '' }

// @spec 2.13, test-types
testCopying('The result of a remote inspection', rriResults, {
  shape: {
    rri_timestamp: 'string',
    tests: [
      {
        test_type: 'number?',
        state: 'string',
        details: [{ detail_name: 'string', description: 'string', timestamp: 'string' }],
      },
    ],
  },
  whole: {
    rri_timestamp: '2026-01-02 03:04:05',
    tests: [
      { test_type: 1, state: 'pass', details: [noDetail] },
      {
        test_type: 8,
        state: 'fail',
        details: [{ detail_name: 'Zone 3', description: 'Low battery', timestamp: '0000-00-00 00:00:00' }],
      },
    ],
  },
  answers: [
    [{ tests: null }, { rri_timestamp: '', tests: [] }],
    [
      { tests: [{ details: [{}] }, { test_type: 7, state: 'puzzled' }] },
      {
        rri_timestamp: '',
        tests: [
          { test_type: null, state: '', details: [noDetail] },
          { test_type: 7, state: 'puzzled', details: [] },
        ],
      },
    ],
    [
      { tests: [7, { details: ['x', null] }] },
      { rri_timestamp: '', tests: [{ test_type: null, state: '', details: [] }] },
      3,
    ],
  ],
})

const bareEntry = { id: null, location: '', description: '', partition: '', time: '' }
const logEntry = {
  id: 82,
  location: 'User 01',
  description: 'Arm Away',
  partition: '1',
  time: '2026-01-02 03:04:05',
}

// @spec 2.11, log-order
testCopying('The standard log', standardLog, {
  shape: [{ id: 'number?', location: 'string', description: 'string', partition: 'string', time: 'string' }],
  whole: [logEntry, { ...logEntry, id: 37, partition: '' }],
  answers: [
    [
      [{}, { partition: 1 }],
      [bareEntry, { ...bareEntry, partition: '1' }],
    ],
    [[null, 7, []], [], 3],
  ],
})

const noTrouble = {
  trouble_type: '',
  device_type: '',
  zone_type: null,
  zone: null,
  location: null,
  zone_name: null,
  partitions: [],
}

testCopying('The list of troubles', troubles, {
  shape: [
    {
      trouble_type: 'string',
      device_type: 'string',
      zone_type: 'string?',
      zone: 'number?',
      location: 'string?',
      zone_name: 'string?',
      partitions: ['number'],
    },
  ],
  whole: [
    {
      trouble_type: 'LOW_BATTERY',
      device_type: 'ZONE',
      zone_type: 'PERIMETER',
      zone: 3,
      location: 'Hall',
      zone_name: 'Front door',
      partitions: [1],
    },
    { ...noTrouble, trouble_type: 'AC_FAILURE', device_type: 'CONTROL_PANEL', partitions: [-1] },
  ],
  answers: [
    [
      [{}, { trouble_type: 'BORED' }],
      [noTrouble, { ...noTrouble, trouble_type: 'BORED' }],
    ],
    [[null, 'x'], [], 2],
  ],
})

testCopying('The users of a panel', users, {
  shape: {
    max_users_count: 'number?',
    users: [{ id: 'number', name: 'string', email: 'string?', role: 'string', partitions: ['number'] }],
    reserved_ids: ['number'],
  },
  whole: {
    max_users_count: 48,
    users: [{ id: 1, name: 'Anna', email: 'anna@example.com', role: 'MASTER_USER', partitions: [1, 2] }],
    reserved_ids: [47, 48],
  },
  answers: [
    [{}, { max_users_count: null, users: [], reserved_ids: [] }],
    [
      { users: [{ id: 2, email: null }] },
      {
        max_users_count: null,
        users: [{ id: 2, name: '', email: null, role: '', partitions: [] }],
        reserved_ids: [],
      },
    ],
    [{ users: [{ name: 'ghost' }, 7] }, { max_users_count: null, users: [], reserved_ids: [] }, 2],
  ],
})
