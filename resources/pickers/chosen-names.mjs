import { collectLeaves } from './checkbox-tree.mjs'
import { isVariable, splitList } from './list-field.mjs'

/**
 * Adds a line with the names of the words in a field, such as devices by their IDs. A word without a known name is
 * shown as it is; if none has one, there is no line.
 * @param field the text field
 * @param previous the element that the line follows
 * @param names.id the id of the line
 * @param names.nameOf returns the name of a word that is known without the panel, or undefined
 * @param names.recall returns a promise of a tree of choices that the panel is known to have
 */
export function addChosenNames(field, previous, { id, nameOf, recall }) {
  const line = $('<div class="keyholder-chosen">').attr('id', id)
  previous.after(line)
  field.attr('aria-describedby', [field.attr('aria-describedby'), id].filter(Boolean).join(' '))

  let known = new Map()
  let isRecalled = false

  const update = () => {
    const words = splitList(field.val())
    const named = words.map((word) => known.get(word) ?? nameOf(word) ?? word)
    line.text(named.join(' · ')).toggle(named.some((name, index) => name !== words[index]))
    const isUnknown = (word) => !isVariable(word) && !known.has(word) && nameOf(word) === undefined
    if (isRecalled || !words.some(isUnknown)) return
    isRecalled = true
    const before = known
    recall().then((branches) => {
      // Meanwhile the list may have been opened, or another panel selected.
      if (known === before) learn(branches)
    })
  }

  const learn = (branches) => {
    known = new Map(collectLeaves(branches).map(({ word, label }) => [word, label]))
    update()
  }

  const forget = () => {
    known = new Map()
    isRecalled = false
    update()
  }

  field.on('input change', update)
  // A text that is cut off is shown whole while the mouse is over it.
  field.on('mouseenter', () => {
    const { scrollWidth, clientWidth, value } = field[0]
    field.attr('title', scrollWidth > clientWidth ? value : null)
  })
  update()
  return {
    /** Takes the names of a tree of choices. */
    learn,
    /** Forgets all names, because another panel was selected. */
    forget,
  }
}
