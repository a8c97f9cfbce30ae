import { readFileSync } from 'node:fs'

/** Widths of letters in thousandths of the font's size, as Arial and Helvetica have them; all others are 556. */
const widths = new Map(
  Object.entries({
    191: "'",
    222: 'ijl',
    278: ' !,./:;I[\\]ft',
    333: '()-`r„“',
    355: '"',
    500: 'Jcksvxyz',
    584: '+<=>~',
    611: 'FTZß',
    667: '&ABEKPSVXYÄ',
    722: 'CDHNRUwÜ',
    778: 'GOQÖ',
    833: 'Mm',
    889: '%',
    944: 'W',
    1015: '@',
  }).flatMap(([width, letters]) => [...letters].map((letter) => [letter, Number(width)])),
)

const withoutInput = ['inject', 'catch', 'status', 'comment', 'mqtt in']

/** Returns the label that the editor shows for a node, in its language. */
export function labelOf({ type, name, repeat, crontab, once }, language) {
  // An inject node has a sign for when it sends by itself.
  if (name) return name + (repeat || crontab ? ' ↻' : once ? ' ¹' : '')
  if (type === 'catch') return language === 'de' ? 'catch: Alle' : 'catch: all'
  const [, set] = /^keyholder-(.+)$/.exec(type) ?? []
  if (set === undefined) return type
  const file = new URL(`../../nodes/${set}/locales/${language}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))[set].palette
}

/** Returns the width of a node in the editor, in pixels: that of its label in steps of the grid. */
export function widthOf({ type, l: isLabelled }, label) {
  if (isLabelled === false || type.startsWith('link ')) return 30
  const letters = [...label].reduce((sum, letter) => sum + (widths.get(letter) ?? 556), 0)
  const room = withoutInput.includes(type) ? 50 : 57
  return Math.max(100, 20 * Math.ceil((letters * 0.014 + room) / 20))
}
