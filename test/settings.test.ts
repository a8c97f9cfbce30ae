import assert from 'node:assert/strict'
import { catalogue, filesOf } from '../harness/fixtures/locales.ts'
import { checkService } from '../src/service/error.ts'
import { labelOf, labels } from '../src/settings.ts'

describe('An error names a setting', () => {
  const texts = filesOf('en-US')
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replace('.json', ''))
    .flatMap((set) => [...catalogue('en-US', set)].map(([key, text]) => ({ key, set, text })))

  for (const [field, label] of Object.entries(labels)) {
    it(`as the dialogs do: ${field} is "${label}"`, () => {
      const inDialogs = texts
        .filter(({ key, set }) => key === `${set}.label.${field}`)
        .map(({ text }) => text.replace(/ \(.*\)$/, ''))
      assert.ok(inDialogs.length > 0)
      assert.deepEqual(new Set(inDialogs), new Set([label]))
    })
  }

  it('in the advice that an error of the service gives', () => {
    assert.ok(checkService.includes(`"${labels.url}"`), checkService)
  })

  it('by its name in the flow file, if no dialog has it', () => {
    assert.equal(labelOf('somethingElse'), 'somethingElse')
  })
})
