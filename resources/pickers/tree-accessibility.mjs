let trees = 0

/**
 * Describes Node-RED's tree to assistive technology: it is one stop of the Tab key, arrow keys move in it and
 * Space selects.
 * @param isMultiple true if more than one leaf can be selected
 * @returns a function that updates the description after a change
 */
export function describeTree(tree, { isMultiple }) {
  trees += 1
  const name = `keyholder-tree-${trees}`
  let rows = 0
  tree.attr({ role: 'tree', 'aria-multiselectable': String(isMultiple) })

  const update = () => {
    tree.find('.red-ui-treeList-label').each((_, row) => {
      const item = $(row).parent().data('data')
      if (!row.id) {
        rows += 1
        row.id = `${name}-${rows}`
        // The tooltip contains the text that is cut off at the side.
        const title = [item.label, item.sublabel, item.details].filter(Boolean).join(' · ')
        $(row).attr({ role: 'treeitem', 'aria-level': item.depth + 1, title })
        $(row).find('input').attr({ tabindex: -1, 'aria-hidden': 'true' })
      }
      if (item.children) $(row).attr('aria-expanded', String($(row).parent().hasClass('expanded')))
      else $(row).attr('aria-checked', String(item.selected))
    })
    tree.find('ol, li').attr('role', 'none')
    const [focused] = tree.find('.focus')
    tree.attr('aria-activedescendant', focused ? focused.id : null)
  }
  update()
  // The widget creates long branches later.
  new MutationObserver(update).observe(tree[0], { childList: true, subtree: true })
  tree.on('keydown', update)
  // The widget shows its focus on a row, but at first no row has it.
  tree.on('focus', () => {
    if (!tree.find('.focus:visible').length) {
      tree.find('.focus').removeClass('focus')
      tree.find('.red-ui-treeList-label:visible').first().addClass('focus')
    }
    update()
  })
  return update
}
