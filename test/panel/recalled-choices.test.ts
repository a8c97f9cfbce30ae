import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { day } from '../../src/duration.ts'
import {
  readDeviceChoices,
  readEventTypeChoices,
  readPartitionChoices,
} from '../../src/panel/editor-choices.ts'
import {
  recallDeviceChoices,
  recallEventTypeChoices,
  recallPartitionChoices,
} from '../../src/panel/recalled-choices.ts'

describe('The choices that are known without a request', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const disarm = (locale: string, account = at.account) =>
    recallEventTypeChoices(account, locale).find(({ typeId }) => typeId === 89)?.description

  it('are none before the panel was read, except the event types in English', () => {
    assert.deepEqual(recallDeviceChoices(at.account, at.panel), [])
    assert.deepEqual(recallPartitionChoices(at.account, at.panel), [])
    assert.equal(disarm('de_DE'), 'Disarm')
    assert.equal(at.simulator.requests.length, 0)
  })

  it('are those of the latest answers to any account of the sign-in, also after days', async () => {
    const reader = at.openTrialAccount()
    const devices = await readDeviceChoices(reader, at.panel, neverAborted())
    const partitions = await readPartitionChoices(reader, at.panel, neverAborted())
    const requests = at.simulator.requests.length
    at.clock.advance(3 * day)
    assert.deepEqual(recallDeviceChoices(at.account, at.panel), devices)
    assert.deepEqual(recallPartitionChoices(at.account, at.panel), partitions)
    assert.deepEqual(recallDeviceChoices(at.account, { ...at.panel, serial: 'OTHER' }), [])
    assert.equal(at.simulator.requests.length, requests)
  })

  it('have the language that is wanted, else that of the account', async () => {
    const german = at.openAccount({ locale: 'de_DE' })
    await readEventTypeChoices(german, 'de_DE', neverAborted())
    assert.equal(disarm('de_DE'), 'Unscharf')
    assert.equal(disarm('fr_FR', german), 'Unscharf')
    assert.equal(disarm('fr_FR'), 'Disarm')
  })
})
