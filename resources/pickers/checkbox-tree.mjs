import { describeTree } from './tree-accessibility.mjs'

/** Height of a row in pixels, as Node-RED renders it; more than eight rows are scrolled. */
const rowHeight = 32
const maxRows = 8

/** From this number of leaves on, only branches with a ticked leaf are expanded. */
const collapseFrom = 60

const countOf = (items) => items.reduce((count, { children = [] }) => count + 1 + countOf(children), 0)

/** Returns all leaves. */
export function collectLeaves(branches) {
  return branches.flatMap((item) => (item.children ? collectLeaves(item.children) : [item]))
}

/** Returns the words of all leaves. */
export function collectWords(branches) {
  return collectLeaves(branches).map(({ word }) => word)
}

/**
 * Returns items for Node-RED's tree widget; `found` is the text for the search.
 * @param box `{checkbox: true}`, or `{radio: group}` if only one of the group can be selected
 */
function prepareItems(branches, ticked, box, isOpen, path = '') {
  return branches.map(({ word, label, sublabel = '', details = '', children }) => {
    const found = `${path} ${label} ${sublabel} ${details}`.toLowerCase()
    if (!children) return { word, label, sublabel, details, ...box, selected: ticked.includes(word), found }
    const expanded = isOpen || collectWords(children).some((one) => ticked.includes(one))
    return { label, expanded, children: prepareItems(children, ticked, box, isOpen, found), found }
  })
}

/**
 * Shows a tree of choices with checkboxes in `element`, with Node-RED's own widget.
 *
 * Branches are `{label, children}`, leaves `{word, label, sublabel, details}`; details are found and shown as a
 * tooltip only.
 * @param ticked words
 * @param group name of the radio group, if only one leaf can be selected
 * @param onTick gets a word and its new state
 */
export function showCheckboxTree(element, branches, { ticked, group, onTick }) {
  const isOpen = collectWords(branches).length < collapseFrom
  const items = prepareItems(branches, ticked, group ? { radio: group } : { checkbox: true }, isOpen)
  const leaves = collectLeaves(items)
  element.height(rowHeight * Math.min(maxRows, countOf(items)) + 2)
  element.treeList({ data: items, multi: true, selectable: true, autoSelect: false })
  const update = describeTree(element, { isMultiple: !group })

  const tick = (words) => {
    for (const leaf of leaves) {
      leaf.selected = words.includes(leaf.word)
      // The widget creates long branches later.
      const { checkbox, radio, label } = leaf.treeList ?? {}
      const box = checkbox ?? radio
      box?.prop('checked', leaf.selected)
      label?.toggleClass('selected', leaf.selected)
    }
    update()
  }

  element.on('treelistselect', (_, item) => {
    if (item?.word === undefined) return update()
    // The widget itself does not clear a selection made by `tick`.
    if (group) tick([item.word])
    onTick(item.word, item.selected)
    update()
  })
  return {
    /** Selects these words and no others. */
    tick,
    /** Shows only the items that contain the text. */
    filter(text) {
      const wanted = text.trim().toLowerCase()
      element.treeList('filter', wanted ? (item) => item.found.includes(wanted) : null)
    },
  }
}
