import assert from 'node:assert/strict'
import { declarations, storedFields } from '../../../harness/fixtures/declarations.ts'
import {
  amount,
  boxes,
  choice,
  type Field,
  flag,
  ids,
  instances,
  locale,
  number,
  optionalNumber,
  readSettings,
  topic,
} from '../../../nodes/pages/fields.ts'

/** Values of a saved flow that lacks them, because it is older than they are: not those of a new node. */
const olderThanDefaults: Readonly<Record<string, object>> = {
  'home-assistant': {
    code: 'none',
    entities: ['alarm_panel', 'zones', 'readings', 'events', 'diagnostics', 'bypass', 'siren'],
  },
}

describe('The settings that a flow file lacks', () => {
  for (const [set, declaration] of declarations)
    it(`have the defaults of the dialog: ${set}`, () => {
      const inDialog = readSettings(declaration, storedFields(declaration))
      assert.deepEqual(readSettings(declaration, {}), { ...inDialog, ...olderThanDefaults[set] })
    })
})

/** Returns what a node reads for a field with a stored value. */
function read<V>(field: Field<V>, stored: unknown, name = 'partitions'): V {
  return field.read({ [name]: stored }, name)
}

describe('What a node reads from a flow file', () => {
  it('is a number in bounds, and for an empty one the default or what the field says', () => {
    const hours = number(11, { min: 7, max: 20, whole: true })
    assert.deepEqual(
      ['8', 20, '', undefined].map((stored) => read(hours, stored)),
      [8, 20, 11, 11],
    )
    for (const wrong of ['6', 21, '8.5', 'noon'])
      assert.throws(() => read(hours, wrong), {
        code: 'BAD_SETTING',
        message: /is not a whole number from 7 to 20/,
      })
    assert.equal(read(number(60, { min: 0, max: 99 }, { empty: 0 }), ''), 0)
    assert.equal(read(number(60, { min: 0, max: 99 }, { empty: 0 }), undefined), 60)
  })

  it('is a number in bounds, or none', () => {
    const interval = optionalNumber({ min: 10, max: 60 })
    assert.deepEqual(
      ['', undefined, '10', 60].map((stored) => read(interval, stored)),
      [undefined, undefined, 10, 60],
    )
    assert.throws(() => read(interval, '9'), { message: /is not a number from 10 to 60/ })
  })

  it('is a text, and for an empty one the default', () => {
    assert.deepEqual(
      [' en_GB ', '', undefined].map((stored) => read(locale('en_US'), stored)),
      ['en_GB', 'en_US', 'en_US'],
    )
  })

  it('is an amount, and 0 for what is none', () => {
    assert.deepEqual(
      ['0.5', 3, '', 'warm', -1].map((stored) => read(amount(), stored)),
      [0.5, 3, 0, 0, 0],
    )
  })

  it('is one of the words, the first one for an unknown, which need not be that of a new node', () => {
    const mode = choice(['on', 'off'], { value: 'off' })
    assert.equal(mode.value, 'off')
    assert.deepEqual(
      ['off', 'on', 'glow', undefined].map((stored) => read(mode, stored)),
      ['off', 'on', 'on', 'on'],
    )
  })

  it('is a check mark', () => {
    assert.deepEqual(
      [true, 'true', false, 'false', undefined, ''].map((stored) => read(flag(true), stored)),
      [true, true, false, false, true, true],
    )
  })

  it('is a list of integers, and no other one', () => {
    assert.deepEqual(read(ids(), ['1', 2]), [1, 2])
    assert.throws(() => read(ids(), 'one'), {
      code: 'BAD_SETTING',
      message: /^Partitions: "one" is not a number/,
    })
  })

  it('are the ticked words in the order of all, or what counts if none is', () => {
    const colors = boxes(['red', 'green', 'blue'], { first: ['blue'], none: ['red'] })
    assert.deepEqual(read(colors, ['blue', 'red']), ['red', 'blue'])
    assert.deepEqual(read(colors, []), ['red'])
    assert.throws(() => read(colors, ['pink']), { code: 'BAD_SETTING', message: /one of red, green, blue/ })
  })

  it('is a topic without the slash at its end', () => {
    assert.deepEqual(
      ['home/lamps/', '', undefined].map((stored) => read(topic('lamps'), stored)),
      ['home/lamps', 'lamps', 'lamps'],
    )
    assert.throws(() => read(topic('lamps'), '#', 'base'), { message: /^Base topic: "#" is not a topic/ })
  })

  it('is one or every instance, and one in a flow of before there were clusters', () => {
    const sends = (stored: unknown) => read(instances(), stored, 'instances')
    assert.deepEqual([undefined, '', 'one', 'every'].map(sends), ['one', 'one', 'one', 'every'])
    for (const wrong of ['all', 2, null, []])
      assert.throws(() => sends(wrong), { code: 'BAD_SETTING', message: /^With several instances: / })
  })
})
