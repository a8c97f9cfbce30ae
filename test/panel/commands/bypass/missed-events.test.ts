import assert from 'node:assert/strict'
import { event } from '../../../../harness/fixtures/samples.ts'
import { minute } from '../../../../src/duration.ts'
import type { BypassRecord } from '../../../../src/panel/commands/bypass/bypass-records.ts'
import { isDecidedSince } from '../../../../src/panel/commands/bypass/missed-events.ts'

const [arm, home, disarm, bypass] = [86, 85, 89, 97]

describe('The events since an arming with bypass', () => {
  const at = Date.UTC(2026, 5, 1, 8)

  /** Returns the answer for events at minutes after the arming, oldest first. */
  const decided = (steps: readonly [number, number, object?][], phase: BypassRecord['phase'] = 'armed') => {
    const moment = { wall: 0, monotonic: 0, boot: undefined }
    const record = { partition: 1, state: 'AWAY', phase, restore: true, zones: [2], at: moment }
    const events = steps.map(([type_id, minutes, fields]) => {
      const datetime = new Date(at + minutes * minute).toISOString().slice(0, 19).replace('T', ' ')
      return event({ type_id, datetime, partitions: [1], zone: null, ...fields })
    })
    return isDecidedSince(record, events, at, 'UTC')
  }

  it('say that people decide if the panel was armed or a zone bypassed after the next disarm', () => {
    assert.equal(
      decided([
        [bypass, 0],
        [arm, 0],
        [disarm, 30],
        [arm, 40],
      ]),
      true,
    )
    assert.equal(
      decided([
        [bypass, 0],
        [arm, 0],
        [disarm, 30],
        [bypass, 40],
      ]),
      true,
    )
    assert.equal(
      decided([
        [bypass, 0],
        [arm, 0],
        [disarm, 30],
        [bypass, 40, { device_type: 'ZONE', zone: 2 }],
      ]),
      true,
    )
  })

  it('say that they do not while the arming lasts, or after its disarm alone', () => {
    assert.equal(
      decided([
        [arm, -600],
        [disarm, -60],
        [bypass, 0],
        [arm, 0],
      ]),
      false,
    )
    assert.equal(
      decided([
        [bypass, 0],
        [arm, 0],
        [disarm, 9999],
      ]),
      false,
    )
    assert.equal(
      decided([
        [home, 0],
        [arm, 30],
        [disarm, 60],
      ]),
      false,
      'from HOME to AWAY',
    )
    assert.equal(
      decided([
        [arm, 0],
        [disarm, 30],
        [bypass, 40, { device_type: 'ZONE', zone: 3 }],
      ]),
      false,
      'another zone',
    )
    assert.equal(
      decided([
        [arm, 0],
        [disarm, 30],
        [arm, 40, { partitions: [2] }],
      ]),
      false,
      'another partition',
    )
  })

  it('are read in their order, though the clock of the panel is wrong by an hour', () => {
    for (const error of [-60, 60]) {
      assert.equal(
        decided([
          [bypass, error],
          [arm, error],
          [disarm, error + 5],
        ]),
        false,
      )
      assert.equal(
        decided([
          [arm, error],
          [disarm, error + 5],
          [arm, error + 600],
        ]),
        true,
      )
    }
  })

  it('do not tell if they do not show the arming', () => {
    for (const phase of ['armed', 'restoring'] as const) {
      assert.equal(decided([], phase), undefined)
      assert.equal(
        decided(
          [
            [disarm, 2000],
            [arm, 3000],
          ],
          phase,
        ),
        undefined,
      )
    }
  })

  it('say after an interrupted arming that people decide if they have armed or bypassed since', () => {
    const before = [arm, -600] as const
    assert.equal(decided([[...before], [bypass, 0]], 'bypassing'), false)
    assert.equal(decided([[...before], [bypass, 0], [disarm, 300]], 'restoring'), false)
    assert.equal(decided([[...before], [bypass, 0], [bypass, 300]], 'restoring'), true)
    assert.equal(decided([[...before], [arm, 300], [disarm, 400]], 'arming'), true)
  })
})
