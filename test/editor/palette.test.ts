import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { inEveryLook, inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { catalogue } from '../../harness/fixtures/locales.ts'
import { flowNodeNames } from '../../harness/fixtures/node-names.ts'

/** The nodes that are in the palette, in its order. */

/** Languages of browsers, and the texts that each gets: in two of them in every look. */
const languages = [
  { language: 'en-US', locale: 'en-US', describeIn: inEveryLook },
  { language: 'de-DE', locale: 'de', describeIn: inEveryLook },
  { language: 'es-ES', locale: 'es-ES', describeIn: inNewestNodeRed },
  { language: 'fr-FR', locale: 'fr', describeIn: inNewestNodeRed },
  { language: 'ja-JP', locale: 'ja', describeIn: inNewestNodeRed },
  { language: 'ko-KR', locale: 'ko', describeIn: inNewestNodeRed },
  { language: 'pt-BR', locale: 'pt-BR', describeIn: inNewestNodeRed },
  { language: 'ru-RU', locale: 'ru', describeIn: inNewestNodeRed },
  { language: 'zh-CN', locale: 'zh-CN', describeIn: inNewestNodeRed },
  { language: 'zh-TW', locale: 'zh-TW', describeIn: inNewestNodeRed },
]

/** Words of people who look for something, with the nodes that they find: the most fitting one first. */
const foundIn: Record<string, Record<string, string[]>> = {
  'en-US': {
    zone: ['readings', 'home-assistant'],
    sensor: ['readings', 'conditions', 'home-assistant'],
    battery: ['conditions', 'readings', 'home-assistant'],
    smoke: ['incident', 'events', 'readings'],
    fire: ['incident', 'events'],
    motion: ['events', 'incident'],
    phone: ['incident', 'chain-test', 'conditions'],
    watchdog: ['health', 'chain-test'],
  },
  de: {
    Melder: ['readings', 'conditions', 'home-assistant'],
    Rauch: ['incident', 'events', 'readings'],
    Telefon: ['incident', 'chain-test', 'conditions'],
    Bewegung: ['events', 'incident'],
  },
}
const byPlace = (one: string, other: string) => flowNodeNames.indexOf(one) - flowNodeNames.indexOf(other)

for (const { language, locale, describeIn } of languages) {
  describeIn(`The palette of a browser in ${language}`, { language }, (editor) => {
    it('shows our nodes in their own category, in that language', async () => {
      const textOf = (set: string, key: string) =>
        catalogue(locale, set).get(key) ?? catalogue('en-US', set).get(key)
      const names = flowNodeNames.map((set) => textOf(set, `${set}.palette`))
      // Long labels are broken into lines.
      const onOneLine = (label = '') => label.replace(/\s/g, '')
      const labels = await category().locator('.red-ui-palette-label').allInnerTexts()
      assert.deepEqual(labels.map(onOneLine), names.map(onOneLine))
      const title = await category().locator('.red-ui-palette-header').innerText()
      assert.equal(title.trim(), textOf('events', 'palette.label.alarm_panel'))
      await category().locator('.red-ui-palette-header').hover()
      await editor()
        .page.getByText(textOf('account', 'account.category') ?? 'none')
        .waitFor()
      await editor().page.mouse.move(0, 0)
    })

    it('finds all our nodes by the words of the trade and of the makers', async () => {
      const { page } = editor()
      const filter = page.locator('#red-ui-palette-search input')
      const searched = [
        'alarm',
        'panel',
        'Visonic',
        'ConnectAlarm',
        'security',
        ...(locale === 'de' ? ['Zentrale', 'Sicherheit', 'Einbrecher', 'scharf'] : []),
      ]
      const palette = '#red-ui-palette [data-palette-type]'
      for (const word of searched) {
        await search(filter, word)
        await lists(palette, 'ours')
        await search(filter, '')
        await lists(palette, 'all')
      }
      const quickAdd = page.locator('#red-ui-type-search-input')
      await openQuickAdd()
      for (const word of searched) {
        await search(quickAdd, word)
        await lists('#red-ui-type-search li', 'ours')
        await search(quickAdd, '')
        await lists('#red-ui-type-search li', 'all')
      }
      await page.keyboard.press('Escape')
    })

    const found = foundIn[locale]
    if (found)
      it('finds by what is wished the nodes that do it, in the quick-add box the most fitting one first', async () => {
        const { page } = editor()
        const filter = page.locator('#red-ui-palette-search input')
        for (const [word, sets] of Object.entries(found)) {
          await search(filter, word)
          await shows('#red-ui-palette [data-palette-type]', sets.toSorted(byPlace))
        }
        await search(filter, '')
        await openQuickAdd()
        for (const [word, sets] of Object.entries(found)) {
          await search(page.locator('#red-ui-type-search-input'), word)
          await shows('#red-ui-type-search li', sets)
        }
        await page.keyboard.press('Escape')
      })

    it('shows the icon of each node', async () => {
      for (const set of flowNodeNames) {
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

    async function openQuickAdd() {
      const { page } = editor()
      // Node-RED ignores a click now and then.
      while (!(await page.locator('#red-ui-type-search-input').isVisible())) {
        await page
          .locator('#red-ui-workspace-chart')
          .click({ modifiers: ['ControlOrMeta'], position: { x: 300, y: 200 } })
      }
    }

    /** Waits until the visible items are those of these nodes, and the first one is that of the first. */
    function shows(items: string, sets: readonly string[]) {
      return editor().page.waitForFunction(
        ([items, expected]) => {
          const shown = [...document.querySelectorAll<HTMLElement>(items)]
            .filter((it) => it.checkVisibility())
            .map((it) => it.dataset.paletteType ?? /\((keyholder-[\w-]+)\)/.exec(it.textContent ?? '')?.[1])
            .filter((type) => type?.startsWith('keyholder-'))
          return shown[0] === expected[0] && String(shown.toSorted()) === String(expected.toSorted())
        },
        [items, sets.map((set) => `keyholder-${set}`)] as const,
      )
    }

    /** Types into a search field: Node-RED searches when a key is released. */
    async function search(field: Locator, word: string) {
      await field.fill(word)
      await field.press('Shift')
    }

    /** Waits until the visible items are those of all our nodes, alone or with others. */
    function lists(items: string, which: 'ours' | 'all') {
      return editor().page.waitForFunction(
        ([items, sets, hasOthers]) => {
          const shown = [...document.querySelectorAll<HTMLElement>(items)].filter((it) =>
            it.checkVisibility(),
          )
          const isOf = (it: HTMLElement, set: string) =>
            it.dataset.paletteType === set || it.textContent?.includes(`(${set})`)
          const isOurs = (it: HTMLElement) => sets.some((set) => isOf(it, set))
          return (
            sets.every((set) => shown.some((it) => isOf(it, set))) &&
            shown.some((it) => !isOurs(it)) === hasOthers
          )
        },
        [items, flowNodeNames.map((set) => `keyholder-${set}`), which === 'all'] as const,
      )
    }

    function category() {
      return editor().page.locator('#red-ui-palette-container-alarm_panel')
    }
  })
}
