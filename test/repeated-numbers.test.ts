import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { catalogue, languages } from '../harness/fixtures/locales.ts'
import { conditionsSettings } from '../nodes/conditions/behavior.ts'
import { maxDuration } from '../nodes/rehearsal/rehearsal.ts'
import { rehearsalTexts } from '../nodes/shared/message-texts.ts'
import { accountSettings } from '../src/account/account-settings.ts'
import { minute } from '../src/duration.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The rows of docs/limits.md: it has the constants of the code with their values, and another test keeps it so. */
const limits = [
  ...read('docs/limits.md').matchAll(/^\| ([^|]+) \|.*\| `(\w+)` in \[[^\]]*\]\(\.\.\/([^)]*)\) \|$/gm),
]

/** Returns the value of a constant, as docs/limits.md writes it. */
function limitOf(file: string, name: string): string {
  const [, value = assert.fail(`${name} in ${file}`)] =
    limits.find(([, , constant, path = '']) => constant === name && path.endsWith(file)) ?? []
  return value === '1 day' ? '24 hours' : value
}

/** Returns the numbers of a text, without the marks that group their digits. */
function numbersIn(text: string): string[] {
  const plain = text.replace(/(?<=\d)[.,\s](?=\d{3}(?!\d))/g, '')
  return plain.match(/\d+(\.\d+)?/g) ?? []
}

/** Asserts that the text with a key has a number in each language that has the text. */
function assertSaid(set: string, key: string, number: string): void {
  for (const language of languages) {
    const text = catalogue(language, set).get(key)
    assert.ok(text !== undefined || language !== 'en-US', key)
    if (text !== undefined) assert.ok(numbersIn(text).includes(number), `${language}: ${text}`)
  }
}

describe('A text of a dialog has the number of the code', () => {
  const constants = [
    ['trace-recorder.ts', 'maxTraceTime', 'panel', 'panel.tip.trace'],
    ['trace-recorder.ts', 'maxTraceBytes', 'panel', 'panel.tip.trace'],
    ['panel-settings.ts', 'maxDemoInterval', 'panel', 'panel.tip.demo'],
    ['maintenance.ts', 'maxTestAge', 'conditions', 'conditions.kind.test'],
    ['maintenance.ts', 'licenseNotice', 'conditions', 'conditions.kind.license'],
    ['health/behavior.ts', 'heartbeats', 'health', 'health.invalid.every'],
  ] as const
  for (const [file, name, set, key] of constants)
    it(`${key} has ${name}`, () => {
      for (const number of numbersIn(limitOf(file, name))) assertSaid(set, key, number)
    })

  /** The bounds of settings, as the error of a value outside of them says. */
  const account = { url: 'https://alarm.example.com', email: 'anna@example.com', password: 'secret' }
  const bounds = [
    ['account', 'account.invalid.requestsPerMinute', { requestsPerMinute: -1 }],
    ['account', 'account.invalid.requestsPerDay', { requestsPerDay: -1 }],
    ['account', 'account.invalid.timeout', { timeout: -1 }],
    ['account', 'account.invalid.apiVersion', { apiVersion: '0' }],
    ['conditions', 'conditions.invalid.minutes', { openAfter: -1 }],
    ['conditions', 'conditions.invalid.days', { backupDays: 0 }],
  ] as const
  for (const [set, key, settings] of bounds)
    it(`${key} has the bounds of its field`, () => {
      const parse = () =>
        set === 'account'
          ? accountSettings({ ...account, ...settings }, { appId: '', deviceInfo: '' })
          : conditionsSettings(settings).choice
      assert.throws(parse, ({ message }: Error) => {
        const [, said = ''] = /(?:from|Enter) (.*)/.exec(message) ?? []
        const numbers = numbersIn(said)
        assert.ok(numbers.length > 0, message)
        for (const number of numbers) assertSaid(set, key, number)
        return true
      })
    })
})

describe('A text about something that has ended by itself', () => {
  it('has the minutes after which a rehearsal ends', () => {
    const said = ['en_US', 'de_DE'].map((locale) =>
      rehearsalTexts(locale).ended('time', { minutes: maxDuration / minute }),
    )
    assert.deepEqual(said, ['Ended after 10 minutes.', 'Nach 10 Minuten beendet.'])
  })
})

describe('A page has the number of the code', () => {
  const words: Record<string, string> = { 10: 'ten' }
  const sentences = [
    ['waiting-inputs.ts', 'maxWaiting', 'docs/nodes.md', 'Above # messages that wait at a node'],
    ['waiting-inputs.ts', 'maxWaiting', 'docs/errors.md', 'or # messages wait at a node already'],
    ['http-client.ts', 'maxBodyBytes', 'docs/errors.md', 'had more than # MB or'],
    ['http-client.ts', 'maxValues', 'docs/errors.md', 'or # values'],
    ['condition-choice.ts', 'maxMinutes', 'docs/settings.md', '# (a week) at most'],
    ['maintenance.ts', 'maxTestAge', 'docs/nodes.md', '# days after the last automatic test'],
    [
      'maintenance.ts',
      'licenseNotice',
      'docs/nodes.md',
      'from # days before the license of the account ends',
    ],
    ['rehearsal.ts', 'maxDuration', 'docs/rehearsal.md', 'after # minutes at the latest'],
    ['rehearsal.ts', 'settling', 'docs/rehearsal.md', 'It ends # seconds after the end of the scene'],
  ] as const
  for (const [file, name, page, sentence] of sentences)
    it(`${page} has ${name}: "${sentence}"`, () => {
      const [number = ''] = limitOf(file, name).split(' ')
      const said = [number, words[number] ?? number].map((one) => sentence.replace('#', one))
      assert.ok(
        said.some((one) => read(page).includes(one)),
        said.join(' / '),
      )
    })
})
