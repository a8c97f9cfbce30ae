import assert from 'node:assert/strict'
import { device, panelDevices } from '../../../harness/fixtures/samples.ts'
import { testConditions } from '../../../harness/properties/condition-properties.ts'
import { conditionKinds } from '../../../src/panel/conditions/condition.ts'
import { ConditionFeed } from '../../../src/panel/conditions/condition-feed.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

describe('The conditions that a node tells', () => {
  testConditions(3)

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
})
