import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { device, info, statusOf } from '../../harness/fixtures/samples.ts'
import { requestsTo } from '../../harness/simulator.ts'
import {
  deviceChoices,
  eventTypeChoices,
  partitionChoices,
  readDeviceChoices,
  readEventTypeChoices,
  readPartitionChoices,
} from '../../src/panel/editor-choices.ts'
import type { PanelInfo } from '../../src/service/responses/panel-info.ts'

const forAll = { times: Number.POSITIVE_INFINITY }

describe('What there is to choose from', () => {
  const house = { id: 1, name: 'House', active: true }
  const garage = { id: 2, name: 'Garage', active: false }
  const named = (...told: Parameters<typeof partitionChoices>) =>
    partitionChoices(...told).map(({ id, name }) => [id, name])

  it('is every partition whose state is told, by its name, and every one that is set up and in use', () => {
    const status = statusOf({ id: 3, state: 'AWAY' }, { id: 1, state: 'HOME' })
    assert.deepEqual(named(info(house, garage, { id: -1, name: 'ALL' }), status), [
      [-1, 'ALL'],
      [1, 'House'],
      [3, ''],
    ])
    assert.deepEqual(named(info(house, garage), null), [[1, 'House']])
    assert.deepEqual(named(null, statusOf({ id: 2, state: 'AWAY' })), [[2, '']])
    assert.deepEqual(named(info(garage), statusOf({ id: 2, state: 'AWAY' })), [[2, 'Garage']])
  })

  // @spec 2.6
  it('is, of every partition, each state that can be requested, with its options', () => {
    const ofHouse = (given: PanelInfo | null) =>
      partitionChoices(given, statusOf({ id: 1, state: 'DISARM' }))[0]?.states
    assert.deepEqual(ofHouse(info(house)), [
      { name: 'AWAY', options: ['NOENTRY', 'LATCHKEY'] },
      { name: 'HOME', options: ['NOENTRY'] },
      { name: 'DISARM', options: [] },
    ])
    assert.deepEqual(ofHouse(null), [])
  })

  it('is every device, called by the label that it has in messages', () => {
    const named = device({ id: 7, name: 'Back door', traits: { location: { name: 'Kitchen' } } })
    const bare = device({ id: 8, name: '', device_type: 'PGM', device_number: 2, traits: {} })
    const [one, other] = deviceChoices([named, bare])
    assert.deepEqual([one?.id, one?.label, one?.location], [7, 'Back door', 'Kitchen'])
    assert.deepEqual([other?.id, other?.label, other?.location, other?.type], [8, 'PGM 2', '', 'PGM'])
  })

  it('is every type of event that the service or this package knows, in the words of the service', () => {
    const known = eventTypeChoices()
    const ours = known.find(({ typeId }) => typeId === 1)
    assert.ok(ours)
    const row = { ...ours, vis: '', contactId: '', sia: '', descriptionOriginal: '' }
    const told = eventTypeChoices([
      { ...row, description: 'Einbruch' },
      { ...row, typeId: 5000, description: 'Neu' },
    ])
    assert.equal(told.length, known.length + 1)
    assert.deepEqual(
      told.find(({ typeId }) => typeId === 1),
      { ...ours, description: 'Einbruch' },
    )
  })
})

describe('Asking a service for the choices', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const fails = (operation: string, status: number) =>
    at.simulator.respondOnce(operation, { status, ...forAll })

  it('takes what was answered to somebody else within the last minute', async () => {
    await readDeviceChoices(at.account, at.panel, neverAborted())
    const requests = at.simulator.requests.length
    at.clock.advance(59_000)
    await readDeviceChoices(at.openTrialAccount(), at.panel, neverAborted())
    assert.equal(at.simulator.requests.length, requests)
    at.clock.advance(2000)
    await readDeviceChoices(at.openTrialAccount(), at.panel, neverAborted())
    assert.equal(requestsTo(at.simulator, 'devices'), 2)
  })

  it('needs the state or the set-up for the partitions, not both', async () => {
    const names = async () =>
      (await readPartitionChoices(at.account, at.panel, neverAborted())).map(({ name }) => name)
    const whole = await names()
    assert.ok(whole.includes('House'))
    fails('status', 404)
    at.clock.advance(61_000)
    assert.deepEqual(await names(), whole)
    fails('panel_info', 404)
    at.clock.advance(3_600_000)
    await assert.rejects(names(), { code: 'NOT_FOUND' })
  })

  it('gives the partitions without names where the set-up is not told', async () => {
    fails('panel_info', 500)
    const partitions = await readPartitionChoices(at.account, at.panel, neverAborted())
    assert.ok(partitions.length > 0)
    assert.ok(partitions.every(({ name }) => name === ''))
  })

  it('sends neither a wrong code twice nor the serial of a panel that the account does not have', async () => {
    const { accounts } = at.simulator
    for (const ask of [readPartitionChoices, readDeviceChoices, readPartitionChoices]) {
      await assert.rejects(ask(at.openTrialAccount(), { ...at.panel, userCode: '0000' }, neverAborted()), {
        code: 'WRONG_USER_CODE',
      })
    }
    assert.equal(accounts.panelLogins, 1)
    await assert.rejects(readDeviceChoices(at.account, { ...at.panel, serial: 'NOWHERE' }, neverAborted()), {
      code: 'BAD_SETTING',
    })
    assert.equal(accounts.panelLogins, 1)
  })

  it('finds a panel that was added since to an account with one other', async () => {
    at.simulator.respondOnce('panels', { status: 200, body: [{ panel_serial: 'OTHER' }] })
    const ask = () => readDeviceChoices(at.account, at.panel, neverAborted())
    await assert.rejects(ask(), { code: 'BAD_SETTING' })
    at.clock.advance(601_000)
    assert.ok((await ask()).length > 0)
  })

  describe('for the types of events', () => {
    const disarm = async (locale: string, account = at.account) => {
      const types = await readEventTypeChoices(account, locale, neverAborted())
      return types.find(({ typeId }) => typeId === 89)?.description
    }

    it("gets their texts in the language asked for, else in the account's", async () => {
      assert.equal(await disarm('de_DE'), 'Unscharf')
      assert.equal(await disarm('en_US'), 'Disarm')
      assert.equal(await disarm('fr_FR', at.openAccount({ locale: 'de_DE' })), 'Unscharf')
    })

    it('knows them in English where the service has no catalogue', async () => {
      fails('had/rules/event-profiles', 404)
      assert.equal(await disarm('de_DE'), 'Disarm')
    })

    it('says why where the service fails, having asked it once', async () => {
      fails('auth', 503)
      await assert.rejects(disarm('de_DE'), { code: 'SERVER_ERROR' })
      assert.equal(requestsTo(at.simulator, 'auth'), 1)
    })
  })
})
