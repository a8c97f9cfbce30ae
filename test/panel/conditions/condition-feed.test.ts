import assert from 'node:assert/strict'
import { device, panelDevices, partitionState } from '../../../harness/fixtures/samples.ts'
import { hour, minute } from '../../../src/duration.ts'
import { conditionKinds } from '../../../src/panel/conditions/condition.ts'
import { ConditionFeed } from '../../../src/panel/conditions/condition-feed.ts'
import type { DueList } from '../../../src/panel/conditions/condition-report.ts'
import type { PanelDevices } from '../../../src/panel/devices/readings.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

describe('The conditions that a node tells', () => {
  it('stay as they were noted until a list of the devices was read', () => {
    let notes: string | null = null
    const openFeed = () => {
      const feed = new ConditionFeed<undefined>(
        {
          context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt: 0 }),
          tell: (telling) => {
            notes = telling.notes(false)
          },
          send: () => {},
        },
        { kinds: new Set(conditionKinds), after: {}, remindAfter: 0, inspectionDays: 365, backupDays: 365 },
      )
      feed.subscriber.recall?.(notes)
      feed.catchUp()
      return feed
    }
    const warnings = [{ type: 'OPENED', severity: 'TROUBLE', in_memory: false }]
    const before = openFeed()
    const gone = [device({ id: 12, enrollment_id: '100-0004', device_number: 2 })]
    before.readDevices(panelDevices([device({ device_number: 1, warnings })], { gone }), 0)
    assert.deepEqual(openFeed().conditions, before.conditions)
    assert.deepEqual(before.conditions.map(({ says }) => says).toSorted(), ['gone', 'open'])
  })

  it('compare the devices with the state as soon as both are known, for a node that tells it; also of an instance that stands by', () => {
    const partitions = ['AWAY', 'DISARM'].map((value, index) => partitionState({ id: index + 1, value }))
    const state = { online: true, partitions, hasAllPartitions: true }
    const hall = panelDevices([device({ device_number: 4, zone_type: 'PERIMETER', partitions: [1, 2] })])
    const told = (kind: 'unguarded' | 'open', ...steps: ((feed: ConditionFeed<undefined>) => void)[]) => {
      const owner = {
        context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt: 0 }),
        ...{ tell: () => {}, send: () => {} },
      }
      const days = { inspectionDays: 365, backupDays: 365 }
      const feed = new ConditionFeed<undefined>(owner, {
        ...{ kinds: new Set([kind]), after: {}, remindAfter: 0, ...days },
      })
      feed.subscriber.recall?.(null)
      feed.catchUp()
      for (const step of steps) step(feed)
      const running = { alarms: [], contactLostAt: null }
      const present = feed.presentConditions(state, hall, running)
      return [feed.conditions, present].map((list) => list.map(({ says }) => says).join())
    }
    const takeState = (feed: ConditionFeed<undefined>) => feed.readState(state)
    const takeDevices = (feed: ConditionFeed<undefined>) => feed.readDevices(hall, 0)
    assert.deepEqual(told('unguarded', takeState), ['', 'unguarded'])
    assert.deepEqual(told('unguarded', takeState, takeDevices), ['unguarded', 'unguarded'])
    assert.deepEqual(told('unguarded', takeDevices, takeState), ['unguarded', 'unguarded'])
    assert.deepEqual(told('open', takeDevices, takeState), ['', ''])
  })

  it('are not reminded of at a start, before lists have shown which of them still last', () => {
    const [begin, start] = [0, 5 * hour]
    const warnings = [{ type: 'OPENED', severity: 'TROUBLE', in_memory: false }]
    const open = panelDevices([device({ device_number: 1, warnings })])
    const closed = panelDevices([device({ device_number: 1 })])
    let [now, notes]: [number, string | null] = [begin, null]
    const openFeed = () => {
      const sent: DueList[] = []
      const feed = new ConditionFeed<undefined>(
        {
          context: () => ({ catalogue: bundled, timeZone: 'UTC', readAt: now }),
          tell: (telling) => {
            telling.notes(false)
            telling.send()
            notes = telling.notes(true)
          },
          send: (due) => sent.push(due),
        },
        { kinds: new Set(['open']), after: {}, remindAfter: hour, inspectionDays: 365, backupDays: 365 },
      )
      feed.subscriber.recall?.(notes)
      feed.catchUp()
      return { feed, sent }
    }
    const told = (list: PanelDevices) => {
      now = begin
      notes = null
      openFeed().feed.readDevices(open, now)
      now = start
      const { feed, sent } = openFeed()
      feed.readState({ online: true, partitions: [partitionState()] })
      feed.readDevices(list, now)
      now = start + minute
      feed.readDevices(list, now)
      return sent.map(({ conditions, isReminder }) => [conditions.length, isReminder])
    }
    assert.deepEqual(told(closed), [[0, false]])
    assert.deepEqual(told(open), [[1, true]])
  })
})
