import assert from 'node:assert/strict'
import { localeOf } from '../../src/service/locale.ts'

describe('The locale of a language', () => {
  it('has the region of the language tag, or the region where the language is spoken most', () => {
    const locales = {
      de: 'de_DE',
      'en-US': 'en_US',
      'de-AT': 'de_AT',
      'pt-BR': 'pt_BR',
      'zh-TW': 'zh_TW',
      ja: 'ja_JP',
    }
    for (const [language, locale] of Object.entries(locales)) assert.equal(localeOf(language), locale)
  })

  it('is undefined for anything that is not a language tag', () => {
    for (const text of ['', 'xx', 'de_DE', 'undefined', '../../etc']) assert.equal(localeOf(text), undefined)
  })
})
