import assert from 'node:assert/strict'
import { partitionState, source } from '../../harness/fixtures/samples.ts'
import { StateReport } from '../../src/messages/state-message.ts'
import type { Vocabulary } from '../../src/messages/state-words.ts'
import type { ActiveAlarm, PartitionState } from '../../src/panel/state/partition-state.ts'

const view = (...partitions: Partial<PartitionState>[]) => ({
  online: true,
  partitions: partitions.map(partitionState),
})
const report = (vocabulary: Vocabulary = 'native', ...partitions: number[]) =>
  new StateReport({ partitions, vocabulary })

const activeAlarm = (fields: Partial<ActiveAlarm> = {}): ActiveAlarm => ({
  type: 'ALARM',
  inMemory: false,
  deviceType: 'ZONE',
  zone: 3,
  zoneName: 'Front door',
  location: 'Hall',
  partitions: [1],
  time: '2026-01-02T03:04:05.000Z',
  timeRaw: '2026-01-02 03:04:05',
  ...fields,
})

describe('A state message', () => {
  it('has the remaining seconds of a running exit delay, or else the configured exit delay', () => {
    const left = (fields: Partial<PartitionState>, now: number) =>
      report().messages(view({ exitDelay: 60, ...fields }), source, 'all', now)[0]?.state.exitDelay
    const arming = { value: 'ARMING', exitUntil: 100_000 }
    assert.deepEqual(
      [50_000, 76_999, 99_001, 100_000, 200_000].map((now) => left(arming, now)),
      [50, 24, 1, 0, 0],
    )
    assert.equal(left({ ...arming, exitUntil: null }, 90_000), 60)
    assert.equal(left({ ...arming, value: 'ALARM' }, 90_000), 60)
    assert.equal(left({ value: 'ARMING', exitDelay: null }, 90_000), null)
  })

  it('is not sent as a change because seconds of the exit delay have passed', () => {
    const state = report()
    const arming = view({ value: 'ARMING', exitUntil: 100_000 })
    state.messages(arming, source, 'all', 50_000)
    assert.deepEqual(state.messages(arming, source, 'changed', 55_000), [])
  })

  it('has the partition id -1 for the whole panel', () => {
    assert.equal(report().messages(view({}), source, 'all', 0)[0]?.topic, 'House/partition/-1')
  })

  it('passes on that the data is stale and that the panel is offline', () => {
    const old = { ...source, stale: true, panel: { ...source.panel, online: false } }
    const [message] = report().messages(view({}), old, 'all', 0)
    assert.deepEqual([message?.stale, message?.panel.online], [true, false])
  })

  it('uses the selected vocabulary for the payload and the native one for the state', () => {
    const [message] = report('home-assistant').messages(view({ value: 'AWAY' }), source, 'all', 0)
    assert.deepEqual([message?.payload, message?.state.value], ['armed_away', 'AWAY'])
  })

  it('can be edited without changing the next one', () => {
    const state = report()
    const same = view({ alarms: [activeAlarm()] })
    const untouched = structuredClone(state.messages(same, source, 'all', 0))
    const [message] = state.messages(same, source, 'all', 0)
    if (message === undefined) assert.fail()
    message.panel.serial = 'other'
    message.state.options.push('X')
    message.state.settable.length = 0
    message.state.alarms[0]?.partitions.push(9)
    message.partition.name = 'mine'
    assert.deepEqual(state.messages(same, source, 'all', 0), untouched)
    assert.deepEqual(state.messages(same, source, 'changed', 0), [])
  })
})

describe('The state messages of several partitions', () => {
  const two = view({ id: 1 }, { id: 2, value: 'AWAY' })

  it('are sent separately', () => {
    assert.deepEqual(
      report()
        .messages(two, source, 'all', 0)
        .map(({ topic, payload }) => [topic, payload]),
      [
        ['House/partition/1', 'DISARM'],
        ['House/partition/2', 'AWAY'],
      ],
    )
  })

  it('are limited to the selected partitions', () => {
    const messages = report('native', 2, 3).messages(two, source, 'all', 0)
    assert.deepEqual(
      messages.map(({ partition }) => partition.id),
      [2],
    )
    assert.deepEqual(report('native', 3).messages(two, source, 'all', 0), [])
  })

  it('are sent only for the partitions that changed', () => {
    const state = report()
    state.messages(two, source, 'all', 0)
    const messages = state.messages(
      view({ id: 1, value: 'HOME' }, { id: 2, value: 'AWAY' }),
      source,
      'changed',
      0,
    )
    assert.deepEqual(
      messages.map(({ topic }) => topic),
      ['House/partition/1'],
    )
  })
})

describe('A change of state', () => {
  /** Returns the number of messages with the changes from the first view to the second. */
  const countMessages = (first: Partial<PartitionState>, second: Partial<PartitionState>) => {
    const state = report()
    state.messages(view(first), source, 'none', 0)
    return state.messages(view(second), source, 'changed', 0).length
  }

  it('is reported if the value differs', () =>
    assert.equal(countMessages({ value: 'DISARM' }, { value: 'ARMING' }), 1))

  it('is reported if the set of alarms differs', () => {
    const two = [activeAlarm(), activeAlarm({ zone: 4 })]
    assert.equal(countMessages({ alarms: [] }, { alarms: [activeAlarm({ inMemory: true })] }), 1)
    assert.equal(countMessages({ alarms: two }, { alarms: [activeAlarm()] }), 1)
    assert.equal(countMessages({ alarms: two }, { alarms: [activeAlarm(), activeAlarm({ zone: 5 })] }), 1)
  })

  it('is not reported if only the order of the alarms differs', () => {
    const two = [activeAlarm(), activeAlarm({ zone: 4 })]
    assert.equal(countMessages({ alarms: two }, { alarms: two.toReversed() }), 0)
  })

  it('is not reported for readiness, options, settable states, status or name', () => {
    const second = { ready: false, options: ['X'], settable: [], status: 'Y', name: 'Z', exitDelay: 0 }
    assert.equal(countMessages({}, second), 0)
  })

  it('is not reported when the panel goes offline', () => {
    const state = report()
    state.messages(view({}), source, 'all', 0)
    assert.deepEqual(state.messages({ ...view({}), online: false }, source, 'changed', 0), [])
  })

  it('is not reported for the first view, with which later ones are compared', () => {
    const state = report()
    assert.deepEqual(state.messages(view({}), source, 'changed', 0), [])
    assert.equal(state.messages(view({ value: 'AWAY' }), source, 'changed', 0).length, 1)
  })

  it('is reported for a partition that first appears in a later view', () => {
    const state = report()
    state.messages(view({ id: 1 }), source, 'changed', 0)
    const messages = state.messages(view({ id: 1 }, { id: 2 }), source, 'changed', 0)
    assert.deepEqual(
      messages.map(({ partition, state }) => [partition.id, state.previous]),
      [[2, null]],
    )
  })

  it('is reported once', () => {
    const state = report()
    state.messages(view({}), source, 'none', 0)
    assert.equal(state.messages(view({ value: 'AWAY' }), source, 'changed', 0).length, 1)
    assert.equal(state.messages(view({ value: 'AWAY' }), source, 'changed', 0).length, 0)
  })

  it('is compared with what another process has told, if the report goes on from that', () => {
    const [before, state] = [report('homekit'), report('homekit')]
    before.messages(view({ value: 'HOME' }), source, 'all', 0)
    state.continueFrom(JSON.parse(JSON.stringify(before.told)))
    assert.deepEqual(state.messages(view({ value: 'HOME' }), source, 'changed', 0), [])
    const [message] = state.messages(view({ value: 'ENTRY_DELAY' }), source, 'changed', 0)
    assert.deepEqual([message?.payload, message?.state.previous], [0, 'HOME'])
  })

  it('is remembered but not reported while messages are off', () => {
    const state = report()
    state.messages(view({}), source, 'all', 0)
    assert.deepEqual(state.messages(view({ value: 'AWAY' }), source, 'none', 0), [])
    assert.deepEqual(state.messages(view({ value: 'AWAY' }), source, 'changed', 0), [])
  })
})

describe('The previous state in a state message', () => {
  it('is null at first, and then the last different value', () => {
    const state = report()
    const previous = (value: string) => state.messages(view({ value }), source, 'all', 0)[0]?.state.previous
    assert.equal(previous('DISARM'), null)
    assert.equal(previous('DISARM'), null)
    assert.equal(previous('ARMING'), 'DISARM')
    assert.equal(previous('ARMING'), 'DISARM')
    assert.equal(previous('AWAY'), 'ARMING')
  })

  it('includes values that were not sent', () => {
    const state = report()
    state.messages(view({ value: 'DISARM' }), source, 'none', 0)
    assert.equal(state.messages(view({ value: 'AWAY' }), source, 'changed', 0)[0]?.state.previous, 'DISARM')
  })

  it('is native in every vocabulary', () => {
    const state = report('homekit')
    state.messages(view({ value: 'DISARM' }), source, 'none', 0)
    assert.equal(state.messages(view({ value: 'AWAY' }), source, 'changed', 0)[0]?.state.previous, 'DISARM')
  })
})

describe('The HomeKit state of a partition', () => {
  it('keeps its last number for states that HomeKit does not have', () => {
    const state = report('homekit')
    const payloads = (one: string, other: string) =>
      state
        .messages(view({ id: 1, value: one }, { id: 2, value: other }), source, 'all', 0)
        .map(({ payload }) => payload)
    assert.deepEqual(payloads('UNKNOWN', 'ENTRY_DELAY'), [3, 1])
    assert.deepEqual(payloads('ARMING', 'HOME'), [3, 0])
    assert.deepEqual(payloads('AWAY', 'PROGRAMMING'), [1, 0])
    assert.deepEqual(payloads('ENTRY_DELAY', 'ENTRY_DELAY'), [1, 0])
    assert.deepEqual(payloads('ALARM', 'DISARM'), [4, 3])
  })

  it('keeps a number that was remembered but not sent', () => {
    const state = report('homekit')
    state.messages(view({ value: 'HOME' }), source, 'none', 0)
    assert.equal(state.messages(view({ value: 'ENTRY_DELAY' }), source, 'changed', 0)[0]?.payload, 0)
  })
})
