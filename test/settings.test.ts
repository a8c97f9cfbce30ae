import assert from 'node:assert/strict'
import { declarations } from '../harness/fixtures/declarations.ts'
import { catalogue, sets } from '../harness/fixtures/locales.ts'
import { defaultsOf, nodeFields } from '../harness/fixtures/node-fields.ts'
import { chainTestSettings } from '../nodes/chain-test/behavior.ts'
import { conditionsSettings } from '../nodes/conditions/behavior.ts'
import { accountSettings } from '../src/account/account-settings.ts'
import { clusterSettings } from '../src/cluster/cluster-settings.ts'
import { parseCommand } from '../src/messages/command-message.ts'
import { panelSettings } from '../src/panel/panel-settings.ts'
import { checkService } from '../src/service/error.ts'
import { labelOf, labels } from '../src/settings.ts'

describe('An error names a setting', () => {
  const texts = sets.flatMap((set) => [...catalogue('en-US', set)].map(([key, text]) => ({ key, set, text })))

  const fields = Object.values(nodeFields).flatMap(({ fields, credentials }) =>
    Object.keys({ ...fields, ...credentials }),
  )
  for (const field of new Set([...fields, ...Object.keys(labels)])) {
    // These have the label of the value beside them, none, or another one in each dialog.
    if (/Type$/.test(field) || ['storedFor', 'initial'].includes(field)) continue
    it(`as the dialogs do: ${field} is "${labelOf(field)}"`, () => {
      const inDialogs = texts
        .filter(({ key, set }) => key === `${set}.label.${field}`)
        .map(({ text }) => text.replace(/ \(.*\)$/, ''))
      assert.ok(inDialogs.length > 0)
      assert.deepEqual(new Set(inDialogs), new Set([labelOf(field)]))
    })
  }

  it('in the advice that an error of the service gives', () => {
    assert.ok(checkService.includes(`"${labels.url}"`), checkService)
  })

  it('by the words of its name, if it has no other label', () => {
    assert.equal(labelOf('somethingElse'), 'Something else')
  })
})

/** The parsers of settings, with a value for what must be entered. */
const parsers: Record<string, (fields: object) => unknown> = {
  'keyholder-account': (fields) => {
    const entered = { url: 'https://alarm.example.com', email: 'anna@example.com', password: 'secret' }
    return accountSettings({ ...fields, ...entered }, { appId: '', deviceInfo: '' })
  },
  'keyholder-cluster': (fields) => clusterSettings({ ...fields, address: 'redis://127.0.0.1' }),
  'keyholder-panel': (fields) => panelSettings({ ...fields, serial: 'A1B2C3', userCode: '1234' }, undefined),
  'keyholder-conditions': (fields) => conditionsSettings(fields),
  'keyholder-chain-test': (fields) => chainTestSettings({ ...fields }),
  'keyholder-command': (fields) =>
    ['set_state', 'bypass'].map((action) => parseCommand({ ...fields, state: 'AWAY', zone: 2 }, { action })),
}

describe("Node-RED's placeholder of a password", () => {
  const refused = { code: 'NOT_CONFIGURED', message: /: Node-RED has stored its placeholder __PWRD__ here/ }

  it('is refused in place of each secret, so that it is never sent', () => {
    const account = { url: 'https://alarm.example.com', email: 'anna@example.com', password: 'secret' }
    const defaults = { appId: '', deviceInfo: '' }
    for (const secret of ['email', 'password'])
      assert.throws(() => accountSettings({ ...account, [secret]: '__PWRD__' }, defaults), refused)
    assert.throws(() => panelSettings({ serial: 'A1B2C3', userCode: '__PWRD__' }, undefined), refused)
    const cluster = { address: 'redis://127.0.0.1', password: '__PWRD__' }
    assert.throws(() => clusterSettings(cluster), refused)
  })
})

describe('A setting that a saved flow lacks', () => {
  for (const [type, parse] of Object.entries(parsers)) {
    it(`has the default of the dialog and of the page of settings: ${type}`, () => {
      const complete = defaultsOf(type)
      const expected = parse(complete)
      for (const field of Object.keys(nodeFields[type]?.fields ?? {})) {
        const { [field]: _, ...others } = complete
        assert.deepEqual(parse(others), expected, field)
      }
      assert.deepEqual(parse({}), expected)
    })
  }
})

describe('A number of a config node that is out of the bounds of the dialog', () => {
  for (const [set, { fields, isConfig }] of declarations)
    for (const [field, declared] of Object.entries(fields)) {
      if (!isConfig || declared.kind !== 'number') continue
      it(`is refused, and what is in them is not: ${field} of ${set}`, () => {
        const { min, max = assert.fail('no maximum'), whole } = declared.bounds
        const step = whole ? 1 : 0.01
        const parse = (value: number) =>
          parsers[`keyholder-${set}`]?.({ ...defaultsOf(`keyholder-${set}`), [field]: value })
        for (const right of [min, max]) assert.ok(parse(right))
        for (const wrong of [min - step, max + step])
          assert.throws(() => parse(wrong), { code: 'BAD_SETTING' }, `${wrong}`)
      })
    }
})
