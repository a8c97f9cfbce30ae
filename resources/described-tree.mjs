let trees = 0

/**
 * Says to assistive technology what Node-RED's tree shows: it is one stop of the Tab key, in which arrow keys move and
 * Space ticks.
 * @param isMultiple whether more than one can be ticked
 * @returns what tells of ticks anew
 */
export function describe(tree, { isMultiple }) {
  trees += 1
  const name = `keyholder-tree-${trees}`
  let rows = 0
  tree.attr({ role: 'tree', 'aria-multiselectable': String(isMultiple) })

  const renew = () => {
    tree.find('.red-ui-treeList-label').each((_, row) => {
      const item = $(row).parent().data('data')
      if (!row.id) {
        rows += 1
        row.id = `${name}-${rows}`
        // What is cut off at the side is read in the tooltip.
        const title = [item.label, item.sublabel].filter(Boolean).join(' · ')
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
  renew()
  // Long branches are built by and by.
  new MutationObserver(renew).observe(tree[0], { childList: true, subtree: true })
  tree.on('keydown', renew)
  // The tree shows its focus on a row, and at first on none.
  tree.on('focus', () => {
    if (!tree.find('.focus:visible').length) {
      tree.find('.focus').removeClass('focus')
      tree.find('.red-ui-treeList-label:visible').first().addClass('focus')
    }
    renew()
  })
  return renew
}
