import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { inEveryLook } from '../../harness/browser/in-every-look.ts'
import { catalogue } from '../../harness/fixtures/locales.ts'

/** Languages of browsers, and the texts that each gets. */
const languages = [
  { language: 'en-US', locale: 'en-US', name: 'alarm panel' },
  { language: 'de-DE', locale: 'de', name: 'Alarmanlage' },
]

for (const { language, locale, name } of languages) {
  inEveryLook(`The palette of a browser in ${language}`, { language }, (editor) => {
    it('shows our nodes in their own category, in that language', async () => {
      const names = (await flowNodes()).map((set) => catalogue(locale, set).get(`${set}.palette`))
      // Long labels are broken into lines.
      const labels = await category().locator('.red-ui-palette-label').allInnerTexts()
      assert.deepEqual(
        labels.map((label) => label.replaceAll('\n', ' ')),
        names,
      )
      const title = await category().locator('.red-ui-palette-header').innerText()
      assert.equal(title.trim(), name)
    })

    it('shows the icon of each node', async () => {
      for (const set of await flowNodes()) {
        const icon = category().locator(`[data-palette-type="keyholder-${set}"] .red-ui-palette-icon`)
        const url =
          /url\("?(.*?)"?\)/.exec(await icon.evaluate((it) => getComputedStyle(it).backgroundImage))?.[1] ??
          ''
        assert.match(url, new RegExp(`keyholder-${set}\\.svg$`))
        const loads = (path: string) => {
          return new Promise((resolve) => {
            const image = new Image()
            image.onload = () => resolve(image.naturalWidth > 0)
            image.onerror = () => resolve(false)
            image.src = path
          })
        }
        assert.ok(await editor().page.evaluate(loads, url), url)
      }
    })

    function category() {
      return editor().page.locator('#red-ui-palette-container-alarm_panel')
    }
  })
}

/** Returns the node sets of the package that are in the palette, in its order. */
async function flowNodes(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const sets: string[] = Object.keys(manifest['node-red'].nodes)
  return sets.filter((set) => set !== 'account' && set !== 'panel')
}
