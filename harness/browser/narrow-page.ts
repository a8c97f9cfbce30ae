import type { Page } from 'playwright-core'

/** What does not fit a page. */
export interface Misfits {
  /** The words that a line break splits where no hyphen, soft hyphen or slash is; in the order of the page. */
  brokenWords: string[]
  /** The classes of the elements that are wider than the place in which they are shown. */
  cut: string[]
}

/**
 * Returns what does not fit the width of a page. A browser hyphenates words only with a dictionary, which the one of the tests
 * lacks: a word that it breaks would be broken on every device without one.
 */
export function misfits(page: Page): Promise<Misfits> {
  return page.evaluate(() => {
    const brokenWords: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const isShown = text.parentElement?.checkVisibility({ visibilityProperty: true })
      if (!isShown || ['SCRIPT', 'STYLE'].includes(text.parentElement?.tagName ?? '')) continue
      for (const { 0: word, index } of text.nodeValue?.matchAll(/[^\s\u00ad/-]+/g) ?? []) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
        if (new Set(boxes.map(({ top }) => Math.round(top))).size > 1) brokenWords.push(word)
      }
    }
    // What only a screen reader reads is one pixel wide.
    const isCut = (element: Element) =>
      element.scrollWidth > element.clientWidth &&
      element.clientWidth > 1 &&
      getComputedStyle(element).overflowX !== 'visible'
    const root = document.documentElement
    const cut = [root, ...document.body.querySelectorAll('*')]
      .filter((element) => isCut(element) || (element === root && root.scrollWidth > root.clientWidth))
      .map((element) => element.getAttribute('class') ?? element.tagName)
    return { brokenWords, cut }
  })
}
