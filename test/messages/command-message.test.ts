import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { anyJson } from '../../harness/fixtures/any-json.ts'
import { source } from '../../harness/fixtures/samples.ts'
import {
  type CommandMessage,
  commandMessage,
  fieldsOfNode,
  parseCommand,
} from '../../src/messages/command-message.ts'
import type { Command } from '../../src/panel/commands/command.ts'
import { KeyholderError } from '../../src/service/error.ts'

const arming = {
  action: 'set_state',
  partition: 2,
  state: 'AWAY',
  options: ['NOENTRY'],
  zone: '',
  enabled: true,
}
const bypassing = { ...arming, action: 'bypass', zone: '7', state: '' }
const nothingSet = { action: 'set_state', partition: -1, state: '', options: [], zone: '', enabled: true }

const setState = (state: string, partition = -1, options: string[] = []) => ({
  action: 'set_state',
  partition,
  state,
  options,
})

function refused(settings: object, payload: unknown): KeyholderError {
  try {
    parseCommand({ ...settings }, payload)
  } catch (thrown) {
    assert.ok(thrown instanceof KeyholderError)
    return thrown
  }
  return assert.fail('It was not refused')
}

describe('The command of a message', () => {
  for (const payload of [undefined, null, '']) {
    it(`is configured in the node if the payload is ${JSON.stringify(payload) ?? 'missing'}`, () => {
      assert.deepEqual(parseCommand(arming, payload), setState('AWAY', 2, ['NOENTRY']))
      assert.deepEqual(parseCommand(bypassing, payload), { action: 'bypass', zone: 7, enabled: true })
      assert.deepEqual(parseCommand({ action: 'siren_on' }, payload), { action: 'siren_on' })
    })
  }

  it('applies to the whole panel, without options, by default', () => {
    assert.deepEqual(parseCommand({}, 'AWAY'), setState('AWAY'))
  })

  it('can be configured with texts from environment variables', () => {
    const settings = { ...arming, partition: '3', options: 'NOENTRY, LATCHKEY' }
    assert.deepEqual(parseCommand(settings, undefined), setState('AWAY', 3, ['NOENTRY', 'LATCHKEY']))
    assert.deepEqual(parseCommand({ ...bypassing, enabled: 'false' }, undefined), {
      action: 'bypass',
      zone: 7,
      enabled: false,
    })
  })

  it('takes a value that is not fixed instead of the setting, unless the payload names the field', () => {
    const values = { partition: { source: 'Partition (msg.part)', value: 3 } }
    assert.deepEqual(parseCommand(arming, undefined, values), setState('AWAY', 3, ['NOENTRY']))
    assert.deepEqual(fieldsOfNode(arming, 'AWAY'), ['partition', 'options', 'openZones', 'restoreBypass'])
    assert.deepEqual(fieldsOfNode(arming, { action: 'bypass', enabled: true }), ['zone'])
    assert.deepEqual(fieldsOfNode(arming, { action: 'siren_on' }), [])
  })

  it('is for the very partition or zone that is named elsewhere, or there is none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.integer().map(String)),
        fc.constantFrom('partition', 'zone'),
        (value, field) => {
          const settings = field === 'zone' ? bypassing : arming
          try {
            const command = parseCommand(settings, undefined, { [field]: { source: 'There', value } })
            // The zero of -0, which no JSON text has, is 0.
            assert.equal(Object(command)[field], Number(value) + 0)
            assert.ok(typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
          } catch (thrown) {
            assert.match(String(thrown), /^KeyholderError: There: /)
          }
        },
      ),
    )
  })

  it('bypasses open zones only if the node or the payload says so, and never to disarm', () => {
    const bypassing = { ...setState('AWAY'), openZones: 'bypass' }
    const node = { ...nothingSet, openZones: 'bypass' }
    assert.deepEqual(parseCommand({ ...nothingSet, openZones: 'refuse' }, 'AWAY'), setState('AWAY'))
    assert.deepEqual(parseCommand(node, 'AWAY'), bypassing)
    assert.deepEqual(parseCommand(node, { state: 'AWAY', openZones: 'refuse' }), setState('AWAY'))
    assert.deepEqual(parseCommand(nothingSet, { state: 'AWAY', openZones: 'bypass' }), bypassing)
    assert.deepEqual(parseCommand(node, 'DISARM'), setState('DISARM'))
    for (const openZones of ['yes', true, null, 'BYPASS']) {
      const error = refused(nothingSet, { state: 'AWAY', openZones })
      assert.deepEqual([error.code, error.message.includes('payload.openZones')], ['BAD_SETTING', true])
    }
  })

  it('accepts restoreBypass of version 0.2.0 with any value, without an effect, and offers it to nobody', () => {
    for (const restoreBypass of [true, false, 'maybe']) {
      const payload = { state: 'AWAY', openZones: 'bypass', restoreBypass }
      assert.deepEqual(parseCommand(nothingSet, payload), { ...setState('AWAY'), openZones: 'bypass' })
      assert.deepEqual(parseCommand({ ...nothingSet, restoreBypass }, 'AWAY'), setState('AWAY'))
    }
    assert.doesNotMatch(refused(nothingSet, { restoreByPass: true }).message, /restoreBypass/)
  })

  const words = {
    AWAY: ['AWAY', 'away', 'armed_away', 'ARM_AWAY', 'arm_away', ' AWAY ', 1, '1'],
    HOME: ['HOME', 'armed_home', 'ARM_HOME', 'Arm_Home', 0, '0'],
    NIGHT: ['NIGHT', 'armed_night', 'ARM_NIGHT', 'Night', ' NIGHT ', 2, '2'],
    DISARM: ['DISARM', 'disarm', 'disarmed', 3, '3'],
  }
  for (const [state, payloads] of Object.entries(words)) {
    for (const payload of payloads) {
      it(`requests ${state} for ${JSON.stringify(payload)}, both as the payload and in an object`, () => {
        assert.deepEqual(parseCommand(nothingSet, payload), setState(state))
        assert.deepEqual(parseCommand(nothingSet, { state: payload }), setState(state))
      })
    }
  }

  for (const payload of ['ENTRY_DELAY', 'PROGRAMMING', 'ARMING', 'ALARM', 'pending', 'triggered', 4, '4']) {
    it(`is refused with NOT_SETTABLE for ${payload}, which a panel reports but no flow can request`, () => {
      assert.equal(refused(nothingSet, payload).code, 'NOT_SETTABLE')
      assert.equal(refused(nothingSet, { state: payload }).code, 'NOT_SETTABLE')
    })
  }

  for (const payload of ['VACATION', 'ARM_VACATION', 'HOME_2', ' VACATION ']) {
    it(`requests ${payload}, which the panel may define itself, in exactly this word`, () => {
      assert.deepEqual(parseCommand(nothingSet, payload), setState(payload.trim()))
      assert.deepEqual(parseCommand(nothingSet, { state: payload }), setState(payload.trim()))
    })
  }

  const nonsense = [
    ...['armed_custom_bypass', 'vacation', 'Vacation', 'CODE0412', 'N', 'NIGHT NOW', 'ON!', 'A'.repeat(41)],
    ...['on', ' ', '{"state":"AWAY"}', '__proto__', 5, -1, 1.5, Number.NaN],
    ...[1_763_740_000_000, true, false, [], ['AWAY'], new Date(), Buffer.from('AWAY'), () => 'AWAY'],
    ...[{ stat: 'AWAY' }, { state: null }, { state: true }, { state: ['AWAY'] }, { state: undefined }],
    ...[
      { partition: null },
      { partition: undefined },
      { partition: 1.5 },
      { partition: 'House' },
      { partition: true },
    ],
    ...[
      { options: null },
      { options: 1 },
      { options: [1] },
      { action: 'arm' },
      { action: null },
      { action: 'toString' },
    ],
    ...[
      { zone: 3 },
      { enabled: false },
      { state: 'AWAY', zone: 3 },
      JSON.parse('{"__proto__": {"state": "HOME"}}'),
    ],
    ...[{ ok: true, action: 'set_state', partition: 1, state: 'AWAY', tookMs: 2000 }],
  ]
  for (const payload of nonsense) {
    const title = typeof payload === 'object' ? JSON.stringify(payload) : String(payload)
    it(`is refused with BAD_SETTING for the payload ${title}, for any configuration of the node`, () => {
      for (const settings of [arming, nothingSet])
        assert.equal(refused(settings, payload).code, 'BAD_SETTING')
    })
  }

  it('is refused with a sentence that lists the accepted values and explains how to use the settings of the node', () => {
    for (const payload of [1_763_740_000_000, true, 'armed_vacation']) {
      assert.match(
        refused(arming, payload).message,
        /AWAY .*HOME .*DISARM .*remove the payload: in an inject node, delete/,
      )
    }
    assert.match(refused(arming, { stat: 'AWAY' }).message, /"stat".*action, partition, state, options/)
  })

  it('never repeats a code that was typed into the wrong field', () => {
    for (const payload of [
      '0412',
      '0412 ',
      'AWAY 0412',
      'AWAY:0412#',
      { state: '0412' },
      { 'code 0412': 1 },
    ]) {
      assert.doesNotMatch(refused(nothingSet, payload).message, /0412/)
    }
    assert.match(refused(nothingSet, '0412').message, /^payload: "\(number hidden\)" is not a known state\./)
  })

  it('is refused for a field that its action does not use, with what the message would do without the field', () => {
    const sentences = [
      [
        arming,
        { zone: 3 },
        'payload.zone: this message would arm or disarm (action "set_state"), which needs no zone. To bypass a zone or remove a bypass, set payload.action to "bypass". To arm or disarm, remove payload.zone.',
      ],
      [
        arming,
        { action: 'siren_on', state: 'AWAY' },
        'payload.state: this message would turn the siren on (action "siren_on"), which needs no state. To arm or disarm, set payload.action to "set_state". To turn the siren on, remove payload.state.',
      ],
      [
        bypassing,
        'AWAY',
        'payload: this node is set to bypass a zone or remove a bypass, which needs no state as payload. To arm or disarm, choose "Arm or disarm" as "Action" in the node. To bypass a zone or remove a bypass, remove the payload: in an inject node, delete the row msg.payload.',
      ],
    ] as const
    for (const [settings, payload, sentence] of sentences) {
      assert.equal(refused(settings, payload).message, sentence)
    }
  })

  for (const settings of [bypassing, { action: 'siren_on' }, { action: 'siren_off' }]) {
    it(`is refused with BAD_SETTING if a state arrives at a node configured for ${settings.action}`, () => {
      for (const payload of ['DISARM', 'AWAY', 3, 1_763_740_000_000, { state: 'AWAY' }]) {
        assert.equal(refused(settings, payload).code, 'BAD_SETTING')
      }
    })
  }

  it('is changed only in the fields that an object names', () => {
    assert.deepEqual(parseCommand(arming, { partition: 1 }), setState('AWAY', 1, ['NOENTRY']))
    assert.deepEqual(parseCommand(arming, { options: [] }), setState('AWAY', 2))
    assert.deepEqual(
      parseCommand(arming, { state: 'HOME', options: 'NOENTRY' }),
      setState('HOME', 2, ['NOENTRY']),
    )
    assert.deepEqual(parseCommand(arming, { action: 'siren_off' }), { action: 'siren_off' })
    const bypass = { action: 'bypass', zone: 3, enabled: false }
    assert.deepEqual(parseCommand(arming, bypass), bypass)
    assert.deepEqual(parseCommand(bypassing, { zone: 8 }), { action: 'bypass', zone: 8, enabled: true })
  })

  it('disarms without the options that the node is configured to arm with', () => {
    assert.deepEqual(parseCommand(arming, 'DISARM'), setState('DISARM', 2))
    assert.deepEqual(
      parseCommand(arming, { state: 3, options: ['NOENTRY'] }),
      setState('DISARM', 2, ['NOENTRY']),
    )
  })

  it('is read from an object that a function node created', () => {
    const payload = runInNewContext('({ state: "HOME", partition: 1, options: ["NOENTRY"] })')
    assert.deepEqual(parseCommand(nothingSet, payload), setState('HOME', 1, ['NOENTRY']))
  })

  it('must have a state or a zone, from the payload or from the node', () => {
    assert.match(refused(nothingSet, undefined).message, /^State: choose one in the node/)
    assert.match(refused({ action: 'bypass' }, undefined).message, /^Zone: enter the number/)
  })

  it('is valid or refused with complete sentences, for any payload', () => {
    const names = ['action', 'partition', 'state', 'options', 'zone', 'enabled']
    fc.assert(
      fc.property(anyJson(names), fc.constantFrom(arming, bypassing, nothingSet), (payload, settings) => {
        try {
          assert.ok(parseCommand(settings, payload).action)
        } catch (thrown) {
          assert.ok(thrown instanceof KeyholderError && ['BAD_SETTING', 'NOT_SETTABLE'].includes(thrown.code))
          assert.match(
            thrown.message,
            /^(payload(\.\w+)?|Action|Partition|State|Options|Zone|Bypass the zone): .*\.$/s,
          )
        }
      }),
    )
  })
})

describe('The message about a completed command', () => {
  const payload = (command: Command): CommandMessage['payload'] =>
    commandMessage(source, command, { tookMs: 2000, already: false }).payload

  it('has the fields of the command and its duration', () => {
    const armed = { action: 'set_state', partition: 1, state: 'HOME', options: ['NOENTRY'] } as const
    assert.deepEqual(commandMessage(source, armed, { tookMs: 2000, already: false }), {
      topic: 'House/command',
      payload: { ok: true, action: 'set_state', partition: 1, state: 'HOME', tookMs: 2000 },
      panel: source.panel,
      fetchedAt: source.fetchedAt,
      stale: false,
    })
    assert.deepEqual(payload({ action: 'bypass', zone: 3, enabled: false }), {
      ok: true,
      action: 'bypass',
      zone: 3,
      enabled: false,
      tookMs: 2000,
    })
    assert.deepEqual(payload({ action: 'siren_on' }), { ok: true, action: 'siren_on', tookMs: 2000 })
  })

  it('has the bypassed zones of an arming, or null if they are not known', () => {
    const armed = { action: 'set_state', partition: 1, state: 'HOME', options: [] } as const
    for (const bypassed of [[{ zone: 2, name: 'Kitchen window' }], [], null]) {
      const view = { tookMs: 20, already: false, bypassed }
      const told = commandMessage(source, armed, view).payload as { bypassed?: unknown }
      assert.deepEqual(told.bypassed, bypassed)
    }
  })

  it('has already only if nothing was sent', () => {
    const armed = { action: 'set_state', partition: 1, state: 'HOME', options: [] } as const
    assert.deepEqual(commandMessage(source, armed, { tookMs: 20, already: true }).payload, {
      ok: true,
      already: true,
      action: 'set_state',
      partition: 1,
      state: 'HOME',
      tookMs: 20,
    })
  })
})
