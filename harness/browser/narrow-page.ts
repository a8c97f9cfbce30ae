import type { Page } from 'playwright-core'

/** The parts that do not fit a page. */
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
    // What only a screen reader reads is one pixel wide.
    const isRead = (element: Element | null): boolean =>
      element !== null && ((element as HTMLElement).offsetWidth === 1 || isRead(element.parentElement))
    const range = document.createRange()
    /** The line of a letter; a hyphen that the browser adds before it is a box of its own. */
    const lineOf = (text: Node, at: number) => {
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return [...range.getClientRects()].findLast(({ width }) => width > 0)?.top
    }
    const brokenWords: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const { parentElement: place } = text
      if (!place?.checkVisibility({ visibilityProperty: true }) || isRead(place)) continue
      if (['SCRIPT', 'STYLE'].includes(place.tagName)) continue
      for (const { 0: word, index } of text.nodeValue?.matchAll(/[^\s\u00ad/-]+/g) ?? []) {
        const lines = Array.from(word, (_, at) => lineOf(text, index + at)).filter((top) => top !== undefined)
        if (lines.some((top) => Math.abs(top - (lines[0] ?? top)) > 2)) brokenWords.push(word)
      }
    }
    const isCut = (element: Element) =>
      element.scrollWidth > element.clientWidth &&
      !isRead(element) &&
      getComputedStyle(element).overflowX !== 'visible'
    const root = document.documentElement
    const cut = [root, ...document.body.querySelectorAll('*')]
      .filter((element) => isCut(element) || (element === root && root.scrollWidth > root.clientWidth))
      .map((element) => element.getAttribute('class') ?? element.tagName)
    return { brokenWords, cut }
  })
}
