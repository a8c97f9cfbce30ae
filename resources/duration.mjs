/** Returns a duration in the language of the editor, rounded up. */
export function describeDuration(seconds) {
  const [unit, length] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600]
  const format = { style: 'unit', unit, unitDisplay: 'long' }
  const count = length === 1 ? seconds : Math.ceil(seconds / length)
  return new Intl.NumberFormat(RED.i18n.lang(), format).format(count)
}
