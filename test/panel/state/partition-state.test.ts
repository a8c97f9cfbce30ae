import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { alarm, info, parseValid, statusOf } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { stateView } from '../../../src/panel/state/partition-state.ts'
import { type PanelAlarm, alarms as panelAlarms } from '../../../src/service/responses/alarms.ts'
import { type PanelInfo, panelInfo } from '../../../src/service/responses/panel-info.ts'
import { status } from '../../../src/service/responses/status.ts'
import { parse } from '../../../src/service/schema.ts'

const setUp = info({ id: -1, name: 'ALL' }, { id: 1, name: 'House' }, { id: 2, name: 'Shop', active: false })

/** The one partition of a view of a panel that says this of itself. */
function partition(said: object, alarms: readonly PanelAlarm[] = [], knowing: PanelInfo | null = setUp) {
  const { partitions } = stateView(statusOf({ id: -1, ...said }), alarms, knowing, 'UTC')
  return partitions[0] ?? assert.fail('no partition')
}

const onlineOf = (answer: object) => stateView(parseValid(status, answer), [], null, 'UTC').online

describe('The value of a partition', () => {
  for (const state of ['AWAY', 'HOME', 'DISARM', 'ENTRY_DELAY', 'PROGRAMMING']) {
    // @spec 3-rule-4
    it(`is ${state} where the service says ${state}`, () => assert.equal(partition({ state }).value, state))
  }

  it("is the service's own word when it is none of these", () => {
    assert.equal(partition({ state: 'NOTREADY' }).value, 'NOTREADY')
  })

  for (const state of ['AWAY', 'HOME']) {
    // @spec exit-delay-state
    it(`is ARMING when the target is ${state} and status is EXIT`, () => {
      assert.equal(partition({ state, status: 'EXIT' }).value, 'ARMING')
    })
  }

  it('is not ARMING with another target or another status', () => {
    assert.equal(partition({ state: 'DISARM', status: 'EXIT' }).value, 'DISARM')
    assert.equal(partition({ state: 'AWAY', status: 'ENTRY' }).value, 'AWAY')
  })

  // @spec alarms
  it('is ALARM while an alarm is active, whatever the state', () => {
    assert.equal(partition({ state: 'AWAY' }, [alarm()]).value, 'ALARM')
    assert.equal(partition({ state: 'DISARM' }, [alarm()]).value, 'ALARM')
    assert.equal(partition({ state: 'AWAY', status: 'EXIT' }, [alarm()]).value, 'ALARM')
  })

  for (const alarm_type of ['ALARM_IN_MEMORY', 'TAMPER_MEMORY', 'SMOKE_MEMORY']) {
    it(`is not ALARM for ${alarm_type} alone, which is told among the alarms`, () => {
      const { value, alarms } = partition({ state: 'AWAY' }, [alarm({ alarm_type })])
      assert.equal(value, 'AWAY')
      assert.equal(alarms[0]?.inMemory, true)
    })
  }

  it('is ALARM when one alarm is active beside one in memory', () => {
    assert.equal(
      partition({ state: 'AWAY' }, [alarm({ alarm_type: 'ALARM_IN_MEMORY' }), alarm()]).value,
      'ALARM',
    )
  })
})

describe('The partitions of a view', () => {
  // @spec 2.5
  it('are those of the status, each with name, activity and exit delay from its set-up', () => {
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
      exitDelay: 60,
      exitUntil: null,
      alarms: [],
      inferred: false,
    })
    assert.equal(house?.name, 'House')
    assert.deepEqual(more, [])
  })

  it('are told without the set-up too: unnamed, active, with nothing settable', () => {
    const { name, active, settable, exitDelay } = partition({ state: 'DISARM' }, [], null)
    assert.deepEqual([name, active, settable, exitDelay], ['', true, [], null])
  })

  it('are concerned by the alarms that name them, that name none or that name the whole panel', () => {
    const both = statusOf({ id: 1, state: 'AWAY' }, { id: 2, state: 'AWAY' })
    const values = (partitions: number[]) =>
      stateView(both, [alarm({ partitions })], null, 'UTC').partitions.map(({ value }) => value)
    assert.deepEqual(values([1]), ['ALARM', 'AWAY'])
    assert.deepEqual(values([]), ['ALARM', 'ALARM'])
    assert.deepEqual(values([-1]), ['ALARM', 'ALARM'])
  })

  it('tell every alarm under the whole panel', () => {
    assert.equal(partition({ state: 'AWAY' }, [alarm({ partitions: [2] })]).value, 'ALARM')
  })

  it('tell an alarm with its time in UTC beside the text of the service', () => {
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
    NOTREADY: [],
  }
  for (const [state, settable] of Object.entries(cases)) {
    it(`of ${state} are ${settable.join(' ') || 'none'}`, () => {
      assert.deepEqual(partition({ state }).settable, settable)
    })
  }

  it('of an alarm or an exit delay are those of the state behind it', () => {
    assert.deepEqual(partition({ state: 'HOME' }, [alarm()]).settable, cases.HOME)
    assert.deepEqual(partition({ state: 'AWAY', status: 'EXIT' }).settable, cases.AWAY)
  })

  it('never hold a state that cannot be requested, even where it can be reached', () => {
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
  it('come from the state set the partition names, and from the only one where it names none', () => {
    const set = (name: string) => [{ name, settable: true, transitions: [name] }]
    const knowing = (state_sets: object) =>
      parseValid(panelInfo, { serial: 'A', state_sets, partitions: [{ id: -1, state_set: 'mine' }] })
    const both = knowing({ other: set('AWAY'), mine: set('HOME') })
    assert.deepEqual(partition({ state: 'HOME' }, [], both).settable, ['HOME'])
    assert.deepEqual(partition({ state: 'AWAY' }, [], both).settable, [])
    const only = knowing({ default: set('AWAY') })
    assert.deepEqual(partition({ state: 'AWAY' }, [], only).settable, ['AWAY'])
    const neither = knowing({ one: set('AWAY'), two: set('AWAY') })
    assert.deepEqual(partition({ state: 'AWAY' }, [], neither).settable, [])
  })
})

describe('A panel is online', () => {
  it('when it is connected', () => assert.equal(onlineOf({ connected: true }), true))

  // @spec online
  it('when a transport is online although it is not connected this moment', () => {
    const connected_status = { gprs: { state: 'offline' }, bba: { is_connected: false, state: 'online' } }
    assert.equal(onlineOf({ connected: false, connected_status }), true)
  })

  it('when a transport without a state is connected', () => {
    assert.equal(onlineOf({ connected: false, connected_status: { bba: { is_connected: true } } }), true)
  })
})

describe('A panel is offline', () => {
  it('when it is not connected and no transport is online', () => {
    assert.equal(onlineOf({ connected: false }), false)
    const connected_status = { bba: { is_connected: true, state: 'offline' }, gprs: null }
    assert.equal(onlineOf({ connected: false, connected_status }), false)
  })

  it('when all transports are, although nothing is said of a connection', () => {
    assert.equal(onlineOf({ connected_status: { bba: { state: 'offline' } } }), false)
  })
})

describe('Whether a panel is online', () => {
  it('is not known where nothing is said', () => {
    assert.equal(onlineOf({}), null)
    assert.equal(onlineOf({ connected: null, connected_status: { bba: null, gprs: {} } }), null)
  })
})

describe('The state view', () => {
  it('has its shape whatever the service sends, and never throws', () => {
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
        (said, raised, known) => {
          const view = stateView(
            parseValid(status, said),
            parseValid(panelAlarms, raised),
            parse(panelInfo, { serial: 'A', state_sets: known, partitions: known })?.value ?? null,
            'UTC',
          )
          assertShape(view, {
            online: 'boolean?',
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
                exitDelay: 'number?',
                exitUntil: 'number?',
                inferred: 'boolean',
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
