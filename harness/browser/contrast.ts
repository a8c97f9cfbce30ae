import type { Locator } from 'playwright-core'

/** A text with its color, its background, and their contrast ratio (WCAG 2), from 1 to 21. */
export interface Contrast {
  text: string
  colour: string
  background: string
  ratio: number
}

/**
 * Returns the contrast of every visible text below an element: also values and placeholders of fields, and buttons. Icons
 * and the options of a closed list do not count.
 */
export function contrasts(element: Locator): Promise<Contrast[]> {
  // This function runs in the page and cannot use anything else in this file.
  return element.evaluate((root) => {
    type Colour = [red: number, green: number, blue: number, alpha: number]
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 1
    const context = canvas.getContext('2d', { willReadFrequently: true })
    // A canvas parses every notation of a color.
    const parsed = (colour: string): Colour => {
      if (!context) throw new Error('no canvas')
      context.clearRect(0, 0, 1, 1)
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
      return [red, green, blue, alpha / 255]
    }
    const over = (upper: Colour, lower: Colour): Colour => {
      const mix = (index: 0 | 1 | 2) => upper[index] * upper[3] + lower[index] * (1 - upper[3])
      return [mix(0), mix(1), mix(2), 1]
    }
    const backgroundOf = (from: Element | null): Colour => {
      if (!from) return [255, 255, 255, 1]
      const own = parsed(getComputedStyle(from).backgroundColor)
      return own[3] === 1 ? own : over(own, backgroundOf(from.parentElement))
    }
    const luminance = (colour: Colour): number => {
      const linear = (index: 0 | 1 | 2) => {
        const part = colour[index] / 255
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      }
      return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2)
    }
    const opacityOf = (from: Element | null): number =>
      from ? Number(getComputedStyle(from).opacity) * opacityOf(from.parentElement) : 1
    const measured = (place: Element, text: string, part?: '::placeholder') => {
      const background = backgroundOf(place)
      const style = getComputedStyle(place, part)
      const [red, green, blue, alpha] = parsed(style.color)
      const own = part ? Number(style.opacity) : 1
      const colour = over([red, green, blue, alpha * own * opacityOf(place)], background)
      const [light = 0, dark = 0] = [luminance(colour), luminance(background)].sort(
        (one, other) => other - one,
      )
      const written = (parts: Colour) => parts.slice(0, 3).map(Math.round).join(' ')
      return {
        text: text.trim().slice(0, 60),
        colour: written(colour),
        background: written(background),
        ratio: Math.round(((light + 0.05) / (dark + 0.05)) * 100) / 100,
      }
    }
    const isVisible = (place: Element) =>
      place.checkVisibility({ visibilityProperty: true, opacityProperty: true })

    const found = []
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const place = node.parentElement
      if (!place || !node.textContent?.trim() || !isVisible(place) || place.closest('select, datalist'))
        continue
      found.push(measured(place, node.textContent))
    }
    for (const select of root.querySelectorAll('select')) {
      const [option] = select.selectedOptions
      if (option && isVisible(select)) found.push(measured(select, option.text))
    }
    for (const field of root.querySelectorAll<HTMLInputElement>(
      'input:not([type="checkbox"], [type="radio"])',
    )) {
      if (!isVisible(field)) continue
      if (field.value) found.push(measured(field, field.value))
      // An empty field shows it, and any field can be emptied.
      if (field.placeholder) found.push(measured(field, field.placeholder, '::placeholder'))
    }
    return found
  })
}
