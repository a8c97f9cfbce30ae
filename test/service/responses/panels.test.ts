import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { panels } from '../../../src/service/responses/panels.ts'
import { parse } from '../../../src/service/schema.ts'

describe('The list of panels', () => {
  // @spec 2.4, panel-fields
  it('keeps only the known fields of a panel', () => {
    const known = {
      panel_serial: '00C0DE',
      alias: 'Home',
      role: 'MASTER_USER',
      panel_model: '360R',
      type: 'POWER_MASTER',
    }
    assert.deepEqual(parseValid(panels, [{ ...known, secret: 'no' }]), [{ ...known, customization: null }])
  })

  // @spec 2.4
  it("keeps the provider's customization if the service sends one", () => {
    const [panel] = parseValid(panels, [{ panel_serial: 'A', customization: { id: 1, name: 'Provider' } }])
    assert.equal(panel?.customization?.name, 'Provider')
  })

  it('converts a numeric serial to text', () => {
    assert.equal(parseValid(panels, [{ panel_serial: 123456 }])[0]?.panel_serial, '123456')
  })

  it('reads missing and null texts as empty, and keeps roles that we do not know', () => {
    const bare = { panel_serial: 'A', alias: '', role: '', customization: null, panel_model: '', type: '' }
    const sent = [
      { panel_serial: 'A', alias: null },
      { panel_serial: 'A', role: 'JANITOR' },
    ]
    assert.deepEqual(parseValid(panels, sent), [bare, { ...bare, role: 'JANITOR' }])
  })

  it('drops and counts entries without a serial', () => {
    assert.deepEqual(parse(panels, [null, { alias: 'Home' }, 7, []]), { value: [], dropped: 4 })
  })

  it('is rejected if it is not a list', () => {
    for (const answer of [null, {}, 'panels', 1]) assert.equal(parse(panels, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const names = ['panel_serial', 'alias', 'role', 'panel_model', 'type']
    fc.assert(
      fc.property(anyJson(names), (answer) => {
        const parsed = parse(panels, [answer, ...[answer].flat()])
        const texts = Object.fromEntries(names.map((name) => [name, 'string'] as const))
        assertShape(parsed?.value, [{ ...texts, customization: (value) => assert.equal(value, null) }])
      }),
    )
  })
})
