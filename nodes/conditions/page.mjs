export function prepare(node) {
  const boxes = $('#node-input-conditions-list input[type=checkbox]')
  // A list without a kind is that of a new node.
  if ([].concat(node.conditions || []).length === 0) boxes.val(node._def.defaults.conditions.value)
  // The minutes and days of what is not chosen mean nothing.
  boxes.on('change', function () {
    $(this).closest('.keyholder-kind').find('.keyholder-after').toggle(this.checked)
    $(`#node-input-conditions-list [data-kind=${this.value}]`).toggle(this.checked)
  })
  boxes.trigger('change')
}
