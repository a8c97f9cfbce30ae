import { ticked } from '../pages/dialog.mjs'

// The smallest change of a kind matters only where changes of that kind are sent.
export function prepare() {
  $('#node-input-emit, #node-input-kinds-list input').on('change', () => {
    const onChange = $('#node-input-emit').val() === 'change'
    const wanted = (kind) => ticked('kinds').length === 0 || ticked('kinds').includes(kind)
    $('#keyholder-readings-temperatureDelta').toggle(onChange && wanted('temperature'))
    $('#keyholder-readings-brightnessDelta').toggle(onChange && wanted('brightness'))
  })
}
