import { describe } from './described-tree.mjs'

/** Pixels: rows are as high as Node-RED makes them, and more than eight of them are scrolled. */
const rowHeight = 32
const mostRows = 8

/** From so many leaves on only those branches are open in which something is ticked. */
const tooManyToSee = 60

const leavesOf = (items) => items.flatMap((item) => (item.children ? leavesOf(item.children) : [item]))
const countOf = (items) => items.reduce((count, { children = [] }) => count + 1 + countOf(children), 0)

/** The words of all leaves. */
export function wordsIn(branches) {
  return leavesOf(branches).map(({ word }) => word)
}

/**
 * Items as Node-RED's tree takes them; `found` is the text in which is searched.
 * @param box `{checkbox: true}`, or `{radio: group}` where only one of the group can be chosen
 */
function prepared(branches, ticked, box, isOpen, path = '') {
  return branches.map(({ word, label, sublabel = '', children }) => {
    const found = `${path} ${label} ${sublabel}`.toLowerCase()
    if (!children) return { word, label, sublabel, ...box, selected: ticked.includes(word), found }
    const expanded = isOpen || wordsIn(children).some((one) => ticked.includes(one))
    return { label, expanded, children: prepared(children, ticked, box, isOpen, found), found }
  })
}

/**
 * A tree of choices to tick, with Node-RED's own widget, in `element`.
 *
 * Branches are `{label, children}`, leaves `{word, label, sublabel}`.
 * @param ticked words
 * @param group by which the browser knows what belongs together, where only one can be chosen
 * @param onTick takes a word and whether it is ticked now
 */
export function choiceTree(element, branches, { ticked, group, onTick }) {
  const isOpen = wordsIn(branches).length < tooManyToSee
  const items = prepared(branches, ticked, group ? { radio: group } : { checkbox: true }, isOpen)
  const leaves = leavesOf(items)
  element.height(rowHeight * Math.min(mostRows, countOf(items)) + 2)
  element.treeList({ data: items, multi: true, selectable: true, autoSelect: false })
  const renew = describe(element, { isMultiple: !group })

  const tick = (words) => {
    for (const leaf of leaves) {
      leaf.selected = words.includes(leaf.word)
      // Long branches are built by and by.
      const { checkbox, radio, label } = leaf.treeList ?? {}
      const box = checkbox ?? radio
      box?.prop('checked', leaf.selected)
      label?.toggleClass('selected', leaf.selected)
    }
    renew()
  }

  element.on('treelistselect', (_, item) => {
    if (item?.word === undefined) return renew()
    // What `tick` chose is not let go by the tree itself.
    if (group) tick([item.word])
    onTick(item.word, item.selected)
    renew()
  })
  return {
    /** Ticks these words and no others. */
    tick,
    /** Shows what has the text in it. */
    filter(text) {
      const wanted = text.trim().toLowerCase()
      element.treeList('filter', wanted ? (item) => item.found.includes(wanted) : null)
    },
  }
}
