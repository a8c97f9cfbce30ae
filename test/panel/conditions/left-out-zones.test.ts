import assert from 'node:assert/strict'
import { device } from '../../../harness/fixtures/samples.ts'
import {
  type ConditionKind,
  newEvidence,
  type PanelCondition,
} from '../../../src/panel/conditions/condition.ts'
import { withLeftOutZones } from '../../../src/panel/conditions/left-out-zones.ts'
import type { Arming } from '../../../src/panel/conditions/outlived-bypasses.ts'

const kitchen = device({ device_number: 2, partitions: [1] })
const bypassed = newEvidence('bypassed', { id: 'bypassed ZONE 2', zone: 2 })
const armed: Arming = { partition: 1, disarmedAt: null }
const known = (kind: ConditionKind, id: string, since = 5): PanelCondition => ({
  ...newEvidence(kind, { id }),
  ...{ since, isQuiet: false, shownBy: ['devices'] },
})
const alarm = known('alarm', 'alarm ZONE 2')
const told = (
  conditions: readonly PanelCondition[],
  armings: readonly Arming[] = [armed],
  evidence = bypassed,
) =>
  withLeftOutZones([evidence], [kitchen], { conditions, armings }).map(({ id, says, since }) => [
    id,
    says,
    since,
  ])
const leftOut = (since: number | null) => [['bypassed ZONE 2 left out', 'leftOut', since]]
const plain = [['bypassed ZONE 2', 'bypassed', null]]

// @spec swinger-stop
describe('A bypassed zone', () => {
  it('was left out by the panel if it has an alarm while it is armed, since it was first seen so', () => {
    assert.deepEqual(told([alarm]), leftOut(null))
    assert.deepEqual(told([alarm, known('bypassed', 'bypassed ZONE 2')]), leftOut(5))
  })

  it('was bypassed by somebody if it has no alarm, or only another zone', () => {
    for (const conditions of [[], [known('alarm', 'alarm ZONE 22')], [known('memory', 'memory ZONE 2')]])
      assert.deepEqual(told(conditions), plain)
  })

  it('was bypassed by somebody if its partition is disarmed', () => {
    assert.deepEqual(told([alarm], []), plain)
    assert.deepEqual(told([alarm], [{ partition: 2, disarmedAt: null }]), plain)
    assert.deepEqual(told([alarm], [{ partition: 1, disarmedAt: 7 }]), plain)
  })

  it('stays left out by the panel when its alarm is over, until the list shows the end of it', () => {
    assert.deepEqual(told([known('bypassed', 'bypassed ZONE 2 left out', 3)], []), leftOut(3))
  })

  it('is the only thing that the panel leaves out', () => {
    const open = newEvidence('open', { id: 'open ZONE 2', zone: 2 })
    assert.deepEqual(told([alarm], [armed], open), [['open ZONE 2', 'open', null]])
  })
})
