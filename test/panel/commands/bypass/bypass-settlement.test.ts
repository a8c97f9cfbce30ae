import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { minute } from '../../../../src/duration.ts'
import { BypassRecords } from '../../../../src/panel/commands/bypass/bypass-records.ts'
import {
  BypassSettlement,
  type SettlementUser,
} from '../../../../src/panel/commands/bypass/bypass-settlement.ts'

describe('The settlement of bypasses', () => {
  it('waits for its pause after a failure, whatever other processes change meanwhile', async () => {
    const clock = new FakeClock()
    const record = { partition: 1, state: 'AWAY', phase: 'arming', restore: true, zones: [2] } as const
    const own = { ...record, at: { wall: 0, monotonic: 0 }, owner: '', isOwn: true, isAlive: true }
    let change = () => {}
    const shared = {
      read: async () => [own],
      write: async () => {},
      onChange: (listener: () => void) => {
        change = listener
        return () => {}
      },
    }
    const path = join(tmpdir(), 'none', 'panel.bypasses.json')
    const settlement = new BypassSettlement(new BypassRecords(path, 'A1B2C3', undefined, shared), clock)
    let attempts = 0
    const user = {
      panel: { settings: { allowCommands: true }, title: () => 'House' },
      queue: {
        run: async () => {
          attempts += 1
          throw new Error('failed')
        },
      },
      reports: { outage: () => {}, notice: () => {} },
      watchState: () => () => {},
    }
    settlement.join(user as unknown as SettlementUser)
    await settlement.start()
    const settle = async (ms: number) => {
      clock.advance(ms)
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
      return attempts
    }
    assert.equal(await settle(2 * minute), 1)
    change()
    assert.equal(await settle(minute / 2), 1)
    assert.equal(await settle(minute / 2), 2)
  })
})
