import assert from 'node:assert/strict'
import { event } from '../../../../harness/fixtures/samples.ts'
import { CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { day, hour, minute } from '../../../../src/duration.ts'
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

describe('After a long time without Node-RED, the bypasses of an arming', () => {
  let at: CommandedPanel
  let close: () => Promise<void>
  beforeEach(async () => {
    at = await CommandedPanel.open({ panelOptions: { keepsBypass: true } })
    at.simulated.open(2)
    const command = { ...setState('AWAY'), openZones: 'bypass', restoreBypass: true } as const
    assert.equal((await at.run(command)).error, undefined)
    at.harness.killProcess()
    await at.panel.close()
  })
  afterEach(async () => {
    await close()
    await at.close()
  })

  const restart = async () => {
    const panel = await at.restart()
    close = () => panel.close()
    await at.pass(100_000)
  }
  const away = (ms: number) => at.harness.clock.advance(ms)

  it('are taken back if the panel was only disarmed', async () => {
    away(21 * day)
    at.simulated.disarm(1)
    away(day)
    await restart()
    assert.deepEqual([at.bypassed, at.outages], [[], []])
  })

  for (const [what, happen] of [
    ['armed again', () => at.simulated.arm(1, 'AWAY') && at.simulated.disarm(1)],
    [
      'bypassed by hand',
      () => {
        at.simulated.bypass(2, false)
        away(day)
        at.simulated.bypass(2, true)
      },
    ],
  ] as const)
    it(`are left and reported if it was ${what} since the disarm`, async () => {
      away(8 * hour)
      at.simulated.disarm(1)
      away(7 * day)
      at.simulated.close(2)
      happen()
      away(7 * day)
      await restart()
      assert.deepEqual(at.bypassed, [2])
      const [error, ...others] = at.outages
      assert.deepEqual([error?.code, others], ['CLOSED', []])
      assert.match(
        error?.message ?? '',
        /^House: The command AWAY for partition 1 has ended while .*Kitchen window \(zone 2\) may still be bypassed\. Look at the panel\.$/,
      )
    })

  it('are forgotten without an error if nothing is bypassed', async () => {
    away(8 * hour)
    at.simulated.disarm(1)
    at.simulated.bypass(2, false)
    away(7 * day)
    at.simulated.close(2)
    at.simulated.arm(1, 'AWAY')
    await restart()
    assert.deepEqual(
      [at.outages, at.notices],
      [[], ['House: The command AWAY for partition 1 has ended. No zone is bypassed for it.']],
    )
  })

  for (const [hours, bypassed] of [
    [5, []],
    [25, [2]],
  ] as const)
    it(`are ${bypassed.length > 0 ? 'left and reported' : 'taken back'} after ${hours} hours if the events do not reach back`, async () => {
      at.simulated.disarm(1)
      away(hours * hour)
      at.simulated.addEvents(60)
      await restart()
      assert.deepEqual([at.bypassed, at.outages.length], [bypassed, bypassed.length])
    })
})
