import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { alarm, info, parseValid, statusOf } from '../../../harness/fixtures/samples.ts'
import { assertShape, nullable } from '../../../harness/fixtures/shape.ts'
import { partitionSetup, stateView } from '../../../src/panel/state/partition-state.ts'
import { type PanelAlarm, alarms as panelAlarms } from '../../../src/service/responses/alarms.ts'
import { type PanelInfo, panelInfo } from '../../../src/service/responses/panel-info.ts'
import { status } from '../../../src/service/responses/status.ts'
import { parse } from '../../../src/service/schema.ts'

const setUp = info({ id: -1, name: 'ALL' }, { id: 1, name: 'House' }, { id: 2, name: 'Shop', active: false })

/** Returns the only partition of a panel with this status. */
function partition(fields: object, alarms: readonly PanelAlarm[] = [], panel: PanelInfo | null = setUp) {
  const { partitions } = stateView(statusOf({ id: -1, ...fields }), alarms, panel, 'UTC')
  return partitions[0] ?? assert.fail('no partition')
}

const onlineOf = (answer: object) => stateView(parseValid(status, answer), [], null, 'UTC').online

describe('The value of a partition', () => {
  for (const state of ['AWAY', 'HOME', 'DISARM', 'ENTRY_DELAY', 'PROGRAMMING']) {
    // @spec 3-rule-4
    it(`is ${state} if the service reports ${state}`, () => assert.equal(partition({ state }).value, state))
  }

  it('is the word of the service if it is unknown', () => {
    assert.equal(partition({ state: 'NOTREADY' }).value, 'NOTREADY')
  })

  for (const state of ['AWAY', 'HOME']) {
    // @spec exit-delay-state
    it(`is ARMING if the target is ${state} and the status is EXIT`, () => {
      assert.equal(partition({ state, status: 'EXIT' }).value, 'ARMING')
    })
  }

  it('is not ARMING with another target or another status', () => {
    assert.equal(partition({ state: 'DISARM', status: 'EXIT' }).value, 'DISARM')
    assert.equal(partition({ state: 'AWAY', status: 'ENTRY' }).value, 'AWAY')
  })

  const withStates = (...state_sets: object[]) => ({
    ...setUp,
    state_sets: parseValid(panelInfo, { serial: '1', state_sets: { all: state_sets } }).state_sets,
  })
  const exit = { statuses: ['EXIT'] }

  // @spec 2.6, exit-delay-state
  it('is ARMING in every state whose definition has the status EXIT, and in no other one', () => {
    const panel = withStates({ name: 'NIGHT', ...exit }, { name: 'AWAY', statuses: [] })
    const leaving = (state: string) => partition({ state, status: 'EXIT' }, [], panel).value
    assert.deepEqual(['NIGHT', 'AWAY'].map(leaving), ['ARMING', 'AWAY'])
  })

  // @spec 2.6, exit-delay-state
  it('is ARMING as in the specification if the panel defines no statuses, or not this state', () => {
    for (const panel of [
      withStates({ name: 'AWAY' }, { name: 'HOME' }),
      withStates({ name: 'NIGHT', ...exit }),
    ]) {
      const leaving = (state: string) => partition({ state, status: 'EXIT' }, [], panel).value
      assert.deepEqual(['AWAY', 'HOME', 'DISARM'].map(leaving), ['ARMING', 'ARMING', 'DISARM'])
    }
  })

  // @spec 2.6
  it('is an armed one if the panel can be set so, or disarmed from there, and it is not DISARM', () => {
    const panel = withStates(
      { name: 'VACATION', settable: true },
      { name: 'GUARD', transitions: ['DISARM'] },
      { name: 'SERVICE', transitions: ['VACATION'] },
      { name: 'DISARM', settable: true, transitions: ['DISARM'] },
    )
    const armed = (state: string) => partition({ state }, [], panel).isArmed
    assert.deepEqual(['VACATION', 'GUARD', 'SERVICE', 'DISARM', 'OTHER'].map(armed), [
      true,
      true,
      false,
      false,
      false,
    ])
  })

  // @spec alarms
  it('is ALARM while an alarm is active, whatever the state', () => {
    assert.equal(partition({ state: 'AWAY' }, [alarm()]).value, 'ALARM')
    assert.equal(partition({ state: 'DISARM' }, [alarm()]).value, 'ALARM')
    assert.equal(partition({ state: 'AWAY', status: 'EXIT' }, [alarm()]).value, 'ALARM')
  })

  for (const alarm_type of ['ALARM_IN_MEMORY', 'TAMPER_MEMORY', 'SMOKE_MEMORY']) {
    it(`is not ALARM for ${alarm_type} alone, which is listed with the alarms`, () => {
      const { value, alarms } = partition({ state: 'AWAY' }, [alarm({ alarm_type })])
      assert.equal(value, 'AWAY')
      assert.equal(alarms[0]?.inMemory, true)
    })
  }

  it('is ALARM if one alarm is active and another one in memory', () => {
    assert.equal(
      partition({ state: 'AWAY' }, [alarm({ alarm_type: 'ALARM_IN_MEMORY' }), alarm()]).value,
      'ALARM',
    )
  })
})

describe('The partitions of a view', () => {
  // @spec 2.5
  it('are those of the status, with name, activity and exit delay from the panel information', () => {
    const two = statusOf(
      { id: 2, state: 'HOME', ready: false, options: ['NOENTRY'] },
      { id: 1, state: 'AWAY' },
    )
    const [shop, house, ...more] = stateView(two, [], setUp, 'UTC').partitions
    assert.deepEqual(shop, {
      id: 2,
      name: 'Shop',
      active: false,
      value: 'HOME',
      status: '',
      ready: false,
      options: ['NOENTRY'],
      settable: ['AWAY', 'DISARM'],
      isArmed: true,
      night: 'HOME',
      exitDelay: 60,
      exitUntil: null,
      alarms: [],
      inferred: false,
      changedBy: null,
    })
    assert.equal(house?.name, 'House')
    assert.deepEqual(more, [])
  })

  it('are available without the panel information: unnamed, active, without settable states', () => {
    const { name, active, settable, exitDelay } = partition({ state: 'DISARM' }, [], null)
    assert.deepEqual([name, active, settable, exitDelay], ['', true, [], null])
  })

  it('have the alarms that name them, no partition or the whole panel', () => {
    const both = statusOf({ id: 1, state: 'AWAY' }, { id: 2, state: 'AWAY' })
    const values = (partitions: number[]) =>
      stateView(both, [alarm({ partitions })], null, 'UTC').partitions.map(({ value }) => value)
    assert.deepEqual(values([1]), ['ALARM', 'AWAY'])
    assert.deepEqual(values([]), ['ALARM', 'ALARM'])
    assert.deepEqual(values([-1]), ['ALARM', 'ALARM'])
  })

  it('have also the alarms that the latest list lacks, of which the view says so', () => {
    const [there, lacking] = [alarm(), alarm({ zone: 4 })]
    const view = stateView(
      statusOf({ id: -1, state: 'AWAY' }),
      [there, lacking],
      null,
      'UTC',
      new Map(),
      new Set([lacking]),
    )
    assert.equal(view.partitions[0]?.alarms.length, 2)
    assert.deepEqual(view.heldAlarms, view.partitions[0]?.alarms.slice(1))
  })

  it('have every alarm if they are the whole panel', () => {
    assert.equal(partition({ state: 'AWAY' }, [alarm({ partitions: [2] })]).value, 'ALARM')
  })

  it('have alarms with the time in UTC and the original text of the service', () => {
    const view = stateView(statusOf({ id: -1, state: 'AWAY' }), [alarm()], null, 'Europe/Berlin')
    assert.deepEqual(view.partitions[0]?.alarms, [
      {
        type: 'ALARM',
        inMemory: false,
        deviceType: 'ZONE',
        zone: 3,
        zoneName: 'Front door',
        location: 'Hall',
        partitions: [],
        time: '2026-01-02T02:04:05.000Z',
        timeRaw: '2026-01-02 03:04:05',
      },
    ])
  })
})

describe('The settable states', () => {
  const cases = {
    AWAY: ['HOME', 'DISARM'],
    HOME: ['AWAY', 'DISARM'],
    DISARM: ['AWAY', 'HOME', 'DISARM'],
    ENTRY_DELAY: ['DISARM'],
    PROGRAMMING: [],
    NOTREADY: ['AWAY', 'HOME', 'DISARM'],
  }
  for (const [state, settable] of Object.entries(cases)) {
    it(`in ${state} are ${settable.join(' ') || 'none'}`, () => {
      assert.deepEqual(partition({ state }).settable, settable)
    })
  }

  it('during an alarm or an exit delay are those of the underlying state', () => {
    assert.deepEqual(partition({ state: 'HOME' }, [alarm()]).settable, cases.HOME)
    assert.deepEqual(partition({ state: 'AWAY', status: 'EXIT' }).settable, cases.AWAY)
  })

  it('never include a state that cannot be requested, even if it can be reached', () => {
    const reachable = parseValid(panelInfo, {
      serial: 'A',
      state_sets: {
        all: [{ name: 'AWAY', settable: true, transitions: ['ENTRY_DELAY'] }, { name: 'ENTRY_DELAY' }],
      },
      partitions: [{ id: -1, state_set: 'all' }],
    })
    assert.deepEqual(partition({ state: 'AWAY' }, [], reachable).settable, [])
  })

  // @spec state-set-names, 2.5
  it('come from the state set that the partition names, or from the only one', () => {
    const set = (name: string) => [{ name, settable: true, transitions: [name] }]
    const panel = (state_sets: object) =>
      parseValid(panelInfo, { serial: 'A', state_sets, partitions: [{ id: -1, state_set: 'mine' }] })
    const both = panel({ other: set('AWAY'), mine: set('HOME') })
    assert.deepEqual(partition({ state: 'HOME' }, [], both).settable, ['HOME'])
    assert.deepEqual(partition({ state: 'AWAY' }, [], both).settable, ['HOME'])
    const only = panel({ default: set('AWAY') })
    assert.deepEqual(partition({ state: 'AWAY' }, [], only).settable, ['AWAY'])
    const neither = panel({ one: set('AWAY'), two: set('AWAY') })
    assert.deepEqual(partition({ state: 'AWAY' }, [], neither).settable, [])
  })
})

describe('A panel is online', () => {
  it('if it is connected', () => assert.equal(onlineOf({ connected: true }), true))

  // @spec online
  it('if a transport is online, although it is not connected at the moment', () => {
    const connected_status = { gprs: { state: 'offline' }, bba: { is_connected: false, state: 'online' } }
    assert.equal(onlineOf({ connected: false, connected_status }), true)
  })

  it('if a transport says so in other letters, or has a state that nobody knows and is connected', () => {
    for (const bba of [{ state: 'ONLINE' }, { state: 'standby', is_connected: true }])
      assert.equal(onlineOf({ connected: false, connected_status: { bba } }), true)
  })

  it('if a transport is in a state that nobody knows, or is one that nobody knows', () => {
    for (const connected_status of [
      { bba: { state: 'lost' } },
      { bba: { state: 'standby', is_connected: false } },
      { satellite: { state: 'offline', is_connected: false } },
    ]) {
      assert.equal(onlineOf({ connected: true, connected_status }), true)
      assert.equal(onlineOf({ connected_status }), null)
    }
  })

  it('if a transport without a state is connected', () => {
    assert.equal(onlineOf({ connected: false, connected_status: { bba: { is_connected: true } } }), true)
  })
})

describe('A panel is offline', () => {
  it('if it is not connected and no transport is online', () => {
    assert.equal(onlineOf({ connected: false }), false)
    const connected_status = { bba: { is_connected: true, state: 'offline' }, gprs: null }
    assert.equal(onlineOf({ connected: false, connected_status }), false)
  })

  // @spec online
  it('if all transports say so, although it is connected', () => {
    for (const state of ['offline', 'OFFLINE'])
      assert.equal(onlineOf({ connected: true, connected_status: { bba: { state } } }), false)
  })

  it('if all transports are offline, even without a connected flag', () => {
    assert.equal(onlineOf({ connected_status: { bba: { state: 'offline' } } }), false)
  })
})

describe('The transports of a panel', () => {
  const of = (answer: object) => stateView(parseValid(status, answer), [], null, 'UTC').transports

  // @spec online
  it('are broadband and mobile, each online, offline or unknown', () => {
    const connected_status = { bba: { state: 'offline' }, gprs: { is_connected: true }, wifi: null }
    assert.deepEqual(of({ connected: true, connected_status }), { broadband: false, mobile: true })
    assert.deepEqual(of({ bba: { connected: true, state: 'online' } }), { broadband: true, mobile: null })
    assert.deepEqual(of({ connected: true }), { broadband: null, mobile: null })
  })
})

describe('The online state of a panel', () => {
  it('is unknown if the service does not report it', () => {
    assert.equal(onlineOf({}), null)
    assert.equal(onlineOf({ connected: null, connected_status: { bba: null, gprs: {} } }), null)
  })
})

describe('The state view', () => {
  it('has its declared shape for any JSON, and never throws', () => {
    const any = anyJson([
      'id',
      'state',
      'status',
      'connected',
      'partitions',
      'alarm_type',
      'name',
      'transitions',
    ])
    const states = fc.array(
      fc.record({ id: fc.integer({ min: -1, max: 2 }), state: anyJson(['']), status: any }),
    )
    fc.assert(
      fc.property(
        fc.record({ connected: any, connected_status: any, partitions: states }),
        fc.array(any),
        any,
        (fields, raised, known) => {
          const view = stateView(
            parseValid(status, fields),
            parseValid(panelAlarms, raised),
            parse(panelInfo, { serial: 'A', state_sets: known, partitions: known })?.value ?? null,
            'UTC',
          )
          assertShape(view, {
            online: 'boolean?',
            transports: { broadband: 'boolean?', mobile: 'boolean?' },
            partitions: [
              {
                id: 'number',
                name: 'string',
                active: 'boolean',
                value: 'string',
                status: 'string',
                ready: 'boolean?',
                options: ['string'],
                settable: ['string'],
                isArmed: 'boolean',
                night: nullable('string'),
                exitDelay: 'number?',
                exitUntil: 'number?',
                inferred: 'boolean',
                changedBy: nullable({ name: 'string', at: 'string?' }),
                alarms: [
                  {
                    type: 'string',
                    inMemory: 'boolean',
                    deviceType: 'string',
                    zone: 'number?',
                    zoneName: 'string',
                    location: 'string',
                    partitions: ['number'],
                    time: 'string?',
                    timeRaw: 'string',
                  },
                ],
              },
            ],
          })
        },
      ),
    )
  })
})

describe('The settable states of a partition', () => {
  const settable = (fields: object) =>
    partitionSetup(parseValid(panelInfo, { serial: 'A', ...fields }), -1, 'DISARM').settable

  it('follow the table of the interface specification if the panel has no state set', () => {
    for (const fields of [{}, { state_sets: null }, { state_sets: {} }]) {
      assert.deepEqual(settable({ ...fields, partitions: [{ id: -1 }] }), ['AWAY', 'HOME', 'DISARM'])
    }
  })

  it('follow the state set of the panel if it has one, even an empty one', () => {
    assert.deepEqual(settable({ state_sets: { all: [] } }), [])
  })

  it('are empty if the panel information is unknown', () => {
    assert.deepEqual(partitionSetup(null, -1, 'DISARM').settable, [])
  })
})
