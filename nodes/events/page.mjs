export function prepare(node) {
  const groups = [].concat(node.groups || [])
  const boxes = () => $('#node-input-groups-list input').toArray()
  const offered = boxes().map((box) => box.value)
  // A group from an imported flow that is not in the list is shown by its code.
  for (const group of groups.filter((one) => !offered.includes(one))) {
    const box = $('<input type="checkbox">').val(group).prop('checked', true)
    $('#node-input-groups-list').append($('<label class="checkbox">').text(` ${group}`).prepend(box))
  }
  // Messages have the code of the group.
  for (const box of boxes()) box.parentElement.title = box.value
  const isSet = (list) => [].concat(list || []).length > 0
  $('#keyholder-events-advanced').prop('open', isSet(node.labels) || isSet(node.typeIds))
}
