import assert from 'node:assert/strict'
import { keysUsedByPage, keysUsedByScript, read, scripts } from '../harness/fixtures/i18n-keys.ts'
import { catalogue, filesOf, help, languages, type Piece, sets } from '../harness/fixtures/locales.ts'
import { page } from '../harness/fixtures/pages.ts'
import { isLocale } from '../src/service/locale.ts'

/** The texts that are the same in German as in English: names, addresses, common words. */
const sameAsEnglish = [
  'Alarm',
  'Gas',
  'Zone __zone__',
  '__panel__: Home Assistant',
  'Code',
  'ALARM',
  'Cluster',
  'Details',
  'Home Assistant: armed_away ...',
  'HomeKit: 0, 1, 3, 4',
  'Labels',
  'Name',
  'Node',
  'Operation',
  'Zone',
  'https://alarm.example.com',
  'offline',
]

/** The languages of the project: whole, with the help. Others may lag; what they lack is shown in English. */
const own = ['en-US', 'de']

const placesIn = (text: string) => (text.match(/__\w+__/g) ?? []).toSorted()

/** A text without what is filled in and without what stands in brackets. */
const bare = (text: string) => text.replace(/__\w+__|\(.*?\)/g, '').trim()

const withoutTexts = (code: string) => code.replace(/"[^"]*"/g, '""')

/** The notation of types in the help, such as `(string | null)`. */
const type = /\((array of )?((string|number|boolean|object|array|null)( \| )?)+\)/g

const isCode = ({ tag }: Piece) => tag === '<code>'
const isProperty = ({ tag, next }: Piece) => [tag, next].includes('<span class="property-type">')

describe('The languages', () => {
  it('are those of the project and others, each in files with its code', () => {
    assert.deepEqual(
      own.filter((language) => !languages.includes(language)),
      [],
    )
    assert.deepEqual(
      languages.flatMap((language) => Intl.getCanonicalLocales(language)),
      languages,
    )
  })

  it('can be selected for the texts of messages', () => {
    const selects = sets.flatMap((set) => {
      const [, select] = /<select id="node-input-language"[^>]*>([\s\S]*?)<\/select>/.exec(page(set)) ?? []
      return select === undefined ? [] : [[set, select] as const]
    })
    assert.ok(selects.length > 0)
    for (const [set, select] of selects) {
      const offered = [...select.matchAll(/value="([^"]+)"/g)].map(([, value]) => value)
      assert.deepEqual(offered.toSorted(), languages.toSorted(), set)
    }
    // The service has languages with regions, others too, so these two fields only suggest.
    const withRegion = languages.map((language) => {
      const { language: spoken, region } = new Intl.Locale(language).maximize()
      return `${spoken}_${region}`
    })
    for (const set of ['account', 'query']) {
      const [, list = ''] = /<datalist id="[\w-]+-locales">([\s\S]*?)<\/datalist>/.exec(page(set)) ?? []
      const offered = [...list.matchAll(/value="([^"]+)"/g)].map(([, value]) => value)
      assert.deepEqual(offered.toSorted(), withRegion.toSorted(), set)
    }
  })
})

describe('The English texts', () => {
  const there = sets.flatMap((set) => [...catalogue('en-US', set).keys()].map((key) => `${set}:${key}`))
  const asked = () => [...sets.flatMap(keysUsedByPage), ...scripts.flatMap(keysUsedByScript)]

  it('exist for every key that a node uses', () => {
    assert.deepEqual(
      asked().filter((key) => !there.includes(key)),
      [],
    )
  })

  it('are all used', () => {
    const used = asked()
    assert.deepEqual(
      there.filter((key) => !used.includes(key)),
      [],
    )
  })

  it('are used by keys that the source contains', () => {
    const sources = [...sets.map((set) => [set, page(set)]), ...scripts.map((path) => [path, read(path)])]
    const unclear = sources.filter(([, source = '']) => /\._\((?!['"`])/.test(source))
    assert.deepEqual(
      unclear.map(([name]) => name),
      [],
    )
  })
})

for (const language of own) {
  describe(`The texts in ${language}`, () => {
    it('are not empty', () => {
      for (const set of sets) {
        for (const [key, text] of catalogue(language, set)) assert.ok(text.trim(), key)
      }
    })

    it('have at most 20 characters in a node status, to which names and times are added', () => {
      const words = sets.flatMap((set) => [...catalogue(language, set)])
      const long = words.filter(
        ([key, text]) =>
          key.includes('.status.') &&
          text.replace('__time__', '12:34').replace('__seconds__', '120').replace('__number__', '12').length >
            20,
      )
      assert.deepEqual(long, [])
    })

    for (const set of sets) {
      it(`have a help of at most 250 words: ${set}`, () => {
        const words =
          read(`${set}/locales/${language}.html`)
            .replace(/<[^>]+>/g, ' ')
            .match(/\S+/g) ?? []
        assert.ok(words.length <= 250, String(words.length))
      })
    }
  })
}

/** Returns the texts of a set in English, each with that of a language; empty where it has none. */
function pairsOf(language: string, set: string) {
  const translated = catalogue(language, set)
  return [...catalogue('en-US', set)].map(([key, text]) => ({ key, text, other: translated.get(key) ?? '' }))
}

describe('The dialog of Home Assistant', () => {
  it('says beside the groups of switches and buttons that they ask for no code, in English and German', () => {
    for (const [language, words] of [
      ['en-US', 'without a code'],
      ['de', 'ohne Code'],
    ] as const)
      for (const group of ['bypass', 'siren']) {
        const text = catalogue(language, 'home-assistant').get(`home-assistant.entities.${group}`)
        assert.ok(text?.includes(words), text)
      }
  })
})

for (const language of languages.filter((name) => name !== 'en-US')) {
  describe(`The language ${language}`, () => {
    it('has the placeholders that English has', () => {
      const pairs = sets.flatMap((set) => pairsOf(language, set))
      const wrong = pairs.filter(
        ({ text, other }) => other !== '' && `${placesIn(other)}` !== `${placesIn(text)}`,
      )
      assert.deepEqual(wrong, [])
      const missing = pairs.filter(({ other }) => other === '')
      // A report, and no failure: who adds a text need not know each language.
      if (missing.length > 0)
        console.log(`      ${missing.length} texts are in English: ${missing[0]?.key} ...`)
    })
  })
}

for (const language of own.filter((name) => name !== 'en-US')) {
  const pairs = (set: string) => pairsOf(language, set)

  /** The pieces of the help of a set, each with the English one. */
  const helpPairs = (set: string) => {
    const translated = help(language, set)
    return help('en-US', set).map((piece, index) => ({ piece, other: translated[index]?.text ?? '' }))
  }

  const leftInEnglish = () =>
    sets.flatMap((set) => [
      ...pairs(set).flatMap(({ text, other }) =>
        text === other && /\p{L}/u.test(text.replace(/__\w+?__/g, '')) ? [text] : [],
      ),
      ...helpPairs(set).flatMap(({ piece, other }) => {
        const isWord = /\p{L}/u.test(piece.text.replace(type, '')) && !isCode(piece) && !isProperty(piece)
        return isWord && piece.text === other ? [piece.text] : []
      }),
    ])

  describe(`The language ${language} of the project`, () => {
    it('has the files that English has', () => {
      for (const set of sets) {
        const endings = (one: string) =>
          filesOf(set).flatMap((file) => (file.startsWith(`${one}.`) ? [file.slice(one.length)] : []))
        assert.deepEqual(endings(language), endings('en-US'), set)
      }
    })

    it('has the keys that English has', () => {
      for (const set of sets) {
        assert.deepEqual([...catalogue(language, set).keys()], [...catalogue('en-US', set).keys()])
      }
    })

    it('translates everything except texts that are the same in both languages', () => {
      assert.deepEqual(
        leftInEnglish().filter((text) => !sameAsEnglish.includes(text)),
        [],
      )
    })

    it('needs all exceptions listed here', () => {
      const left = leftInEnglish()
      assert.deepEqual(
        sameAsEnglish.filter((text) => !left.includes(text)),
        [],
      )
    })

    for (const set of sets) {
      describe(`in the help of ${set}`, () => {
        it('has the headings, lists and tables that English has', () => {
          const tags = (one: string) => help(one, set).map(({ tag }) => tag)
          assert.deepEqual(tags(language), tags('en-US'))
        })

        it('has the code words that English has, except an example of a locale', () => {
          const codes = (one: string) =>
            help(one, set)
              .filter(isCode)
              .map(({ text }) => text)
          // The texts of an example are those of its language: test/nodes/shown-messages.test.ts.
          const inExample = (text: string) => text.replace(/^\{ topic: .*/, withoutTexts)
          const words = (one: string) =>
            codes(one).map((text) => (isLocale(text) ? 'a locale' : inExample(text)))
          assert.deepEqual(words(language).toSorted(), words('en-US').toSorted())
        })

        it('does not translate names and types of message properties', () => {
          const properties = helpPairs(set).filter(({ piece }) => isProperty(piece))
          for (const { piece, other } of properties) assert.equal(other, piece.text)
        })

        it('uses the names of fields and states in the editor', () => {
          const texts = ['account', set].flatMap(pairs)
          const names = helpPairs(set).filter(({ piece }) => ['<dt>', '<i>'].includes(piece.tag))
          for (const { piece, other } of names) {
            const there = texts
              .filter(({ text }) => bare(text) === piece.text)
              .map((pair) => bare(pair.other))
            assert.ok(there.length === 0 || there.includes(other), other)
          }
        })
      })
    }
  })
}
