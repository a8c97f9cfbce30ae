import assert from 'node:assert/strict'
import { localeOf } from '../../src/service/locale.ts'

describe('The locale of a language', () => {
  it('has the region that is named, else the one where the language is spoken most', () => {
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

  it('is none for what is no language', () => {
    for (const text of ['', 'xx', 'de_DE', 'undefined', '../../etc']) assert.equal(localeOf(text), undefined)
  })
})
