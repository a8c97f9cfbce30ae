import assert from 'node:assert/strict'
import { amount, boxes, choice, type Declaration, flag, ids, secret } from '../../../nodes/pages/fields.ts'
import { formOf } from '../../../nodes/pages/form.ts'

const fields = {
  mode: choice(['on', 'off'], { icon: 'power-off', isHidden: true }),
  numbers: ids({ icon: 'hashtag' }),
  colors: boxes(['red', 'green'], { icon: 'eye', texts: 'color', first: ['green'] }),
  isLoud: flag(true),
  level: amount({ icon: 'sun-o', texts: 'percent' }),
  key: secret({ icon: 'key', attributes: 'autocomplete="new-password"' }),
}

function formWith(form?: Declaration['form'], written?: string): string {
  return formOf(
    { set: 'lamp', declaration: { fields, ...(form && { form }) }, prefix: 'node-input' },
    written,
  )
}

const idsIn = (html: string) => [...html.matchAll(/ id="node-input-([\w-]+)"/g)].map(([, id]) => id)

describe('The form of a page', () => {
  it('has a row for each field in its order, then the name and the hint about messages', () => {
    const html = formWith()
    assert.deepEqual(idsIn(html), ['mode', 'numbers-list', 'colors-list', 'isLoud', 'level', 'key', 'name'])
    assert.match(html, /<script type="text\/html" data-template-name="keyholder-lamp">/)
    assert.match(html, /data-i18n="lamp\.tip\.input"><\/div>\n<\/div>\n<\/script>\n$/)
  })

  it('has the order, the hints and the folded part that the declaration says', () => {
    const html = formWith(['key', { tip: 'secret' }, { details: 'advanced', parts: ['level', 'mode'] }])
    assert.deepEqual(idsIn(html), ['key', 'level', 'mode', 'name'])
    const [, folded = ''] = /<details id="keyholder-lamp-advanced"[^>]*>([\s\S]*)<\/details>/.exec(html) ?? []
    assert.deepEqual(idsIn(folded), ['level', 'mode'])
    assert.ok(html.indexOf('lamp.tip.secret') < html.indexOf('<details'))
  })

  it('puts rows into one that is written by hand, with the indentation of their places', () => {
    const html = formWith(undefined, '<div>\n    {{isLoud}}\n</div>\n')
    assert.match(html, /\n {4}<div class="form-row">\n {6}<input type="checkbox" id="node-input-isLoud"/)
    assert.deepEqual(idsIn(html), ['isLoud'])
  })

  it('refuses a field that the node has not', () => {
    assert.throws(() => formWith(['glow']), /The form of lamp shows "glow", which is no setting of it/)
  })

  it('offers each word of a choice, and each box with those that come first, by their texts', () => {
    const html = formWith()
    const said = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, key]) => key)
    assert.deepEqual(said(/<option value="\w+" data-i18n="([\w.]+)">/g), ['lamp.mode.on', 'lamp.mode.off'])
    assert.deepEqual(said(/value="\w+"> <span data-i18n="([\w.]+)">/g), [
      'lamp.color.green',
      'lamp.color.red',
    ])
  })

  it('puts the number of a box among the boxes, where the page hides it with its box', () => {
    const declaration = { fields: { delay: amount({ boxOf: 'open' }) } }
    const html = formOf({ set: 'lamp', declaration, prefix: 'node-input' }, undefined)
    assert.match(html, /<div class="keyholder-kind" data-kind="open">\s*<label for="node-input-delay"/)
    assert.doesNotMatch(html, /delay-unit/)
  })

  it('shows what is entered as a credential only if it is readable', () => {
    const declaration = { fields: { user: secret({ isReadable: true }), key: secret() } }
    const html = formOf({ set: 'lamp', declaration, prefix: 'node-config-input' }, undefined)
    assert.match(html, /<input type="text" id="node-config-input-user">/)
    assert.match(html, /<input type="password" id="node-config-input-key">/)
  })

  it('gives a row an id only if the page shows and hides it', () => {
    assert.match(formWith(), /<div class="form-row" id="keyholder-lamp-mode">/)
    assert.doesNotMatch(formWith(), /id="keyholder-lamp-level"/)
  })
})
