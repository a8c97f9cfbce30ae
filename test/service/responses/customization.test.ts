import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape, nullable } from '../../../harness/fixtures/shape.ts'
import { customization } from '../../../src/service/responses/customization.ts'
import { parse } from '../../../src/service/schema.ts'

const shown = {
  id: 3,
  name: 'Provider',
  is_default: true,
  created: 1700000000,
  changed: 1700000001,
  data: {
    apptype: '',
    android: 'https://play.example/app',
    ios: 'https://apps.example/app',
    customization: {
      themes: [
        {
          name: 'day',
          brightness: 'light',
          colors: { primary: '#1F6F8B', gradient: ['#1F6F8B', '#3A8FAD', '#99C4D3'] },
        },
      ],
    },
  },
}

describe('A customization', () => {
  // @spec 2.3, customization-times
  it('keeps the fields that the interface specification shows', () => {
    assert.deepEqual(parseValid(customization, { ...shown, secret: 'no' }), shown)
  })

  it('uses defaults if all fields but the id are missing', () => {
    assert.deepEqual(parseValid(customization, { id: 3 }), {
      id: 3,
      name: '',
      is_default: false,
      created: null,
      changed: null,
      data: null,
    })
  })

  it('keeps brightness values that we do not know, and themes without colors', () => {
    const themes = [{ name: 'dusk', brightness: 'dim' }]
    assert.deepEqual(
      parseValid(customization, { id: 3, data: { customization: { themes } } }).data?.customization?.themes,
      [{ name: 'dusk', brightness: 'dim', colors: null }],
    )
  })

  it('drops and counts themes without a name', () => {
    assert.equal(parse(customization, { id: 3, data: { customization: { themes: [{}, 7] } } })?.dropped, 2)
  })

  it('is rejected without an id', () => {
    for (const answer of [null, [], {}, { id: 'x' }]) assert.equal(parse(customization, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const any = anyJson([
      'apptype',
      'customization',
      'themes',
      'name',
      'colors',
      'primary',
      'gradient',
      'data',
    ])
    fc.assert(
      fc.property(fc.record({ id: fc.nat(), created: any, data: any }), (answer) => {
        assertShape(parseValid(customization, answer), {
          id: 'number',
          name: 'string',
          is_default: 'boolean',
          created: 'number?',
          changed: 'number?',
          data: nullable({
            apptype: 'string',
            android: 'string',
            ios: 'string',
            customization: nullable({
              themes: [
                {
                  name: 'string',
                  brightness: 'string',
                  colors: nullable({ primary: 'string', gradient: ['string'] }),
                },
              ],
            }),
          }),
        })
      }),
    )
  })
})
